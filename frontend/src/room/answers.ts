// A class's answers as a table for a spreadsheet: what was asked and answered, what is true, and how each answer scores;
// nobody's name, and no order.

import type { Kind, Question, Truth } from "../kit/classroom.ts";
import type { CsvCell } from "../kit/csv.ts";
import type { Labels } from "../kit/dom.ts";
import { hasRight, percent, scoreOf } from "../kit/score.ts";
import { visible } from "../kit/tokens.ts";

export interface Answered {
  readonly question: Question;
  readonly answers: readonly unknown[];
  readonly times: readonly string[]; // at which they were given, to the minute
  readonly asked: string | null;
  readonly revealed: string | null;
  readonly members: number | null; // who were there when it was revealed, or else left
  readonly truth: Truth | null; // once it is revealed
}

const COLUMNS = [
  ...["question", "title", "kind", "answer", "answer_words", "truth", "truth_words", "score"],
  ...["asked", "answered", "revealed", "members"],
];

export function answerRows(answered: readonly Answered[], labels: Labels): CsvCell[][] {
  const head = COLUMNS.map((column) => labels[`csv_${column}`]);
  return [head, ...answered.flatMap((one, n) => one.answers.map((_, place) => rowOf(one, n + 1, place)))];
}

function rowOf({ question, answers, times, asked, revealed, members, truth }: Answered, n: number, place: number) {
  const { kind, columns, title } = question;
  const answer = answers[place];
  const cells = (given: unknown): CsvCell[] => [cellOf(kind, columns, given), truth && wordsOf(kind, truth, given)];
  const right = truth && hasRight(kind, truth) ? cells(rightAnswer(kind, truth)) : [null, null];
  const score = truth && hasRight(kind, truth) ? percent(scoreOf(kind, truth, answer)) : null;
  return [n, title, kind, ...cells(answer), ...right, score, asked, times[place], revealed, members];
}

// Cells by row and column, counted from 1; a curve by its heights, from 0 to 1.
function cellOf(kind: Kind, columns: number, answer: unknown): CsvCell {
  if (kind === "number") return Number(answer);
  if (kind === "token") return String(answer);
  const numbers = answer as readonly (number | null)[];
  if (kind === "curve") return numbers.map((share) => share ?? "–").join(" ");
  return numbers
    .map((place) => `${Math.floor(Number(place) / columns) + 1}:${(Number(place) % columns) + 1}`)
    .join(" ");
}

// The tokens of the cells' rows and columns.
function wordsOf(kind: Kind, { rows, columns }: Truth, answer: unknown): string | null {
  if (kind !== "cells") return null;
  const pairs = (answer as readonly number[]).map((place) => [
    rows[Math.floor(place / columns.length)],
    columns[place % columns.length],
  ]);
  return pairs.map((pair) => pair.filter(Boolean).map(visible).join(" → ")).join("; ");
}

// What a class would have answered that was right in all; of weights, the most in each row.
function rightAnswer(kind: Kind, { values, rows, columns, mask }: Truth): unknown {
  if (kind === "number") return values[0];
  if (kind === "token") return rows[0];
  if (kind === "curve") return values.map((height) => Number(height.toFixed(4)));
  const mostOf = (place: number): number => {
    const start = place - (place % columns.length);
    return Math.max(...values.slice(start, start + columns.length));
  };
  return [...values.keys()].filter((place) => values[place] > 0 && (mask || values[place] === mostOf(place)));
}
