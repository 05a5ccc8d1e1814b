// A class's answers as a table for a spreadsheet: what was asked, and what was answered; nobody's name, and no order.

import type { Question } from "../kit/classroom.ts";
import type { CsvCell } from "../kit/csv.ts";
import type { Labels } from "../kit/dom.ts";

export interface Answered {
  readonly question: Question;
  readonly answers: readonly unknown[];
}

export function answerRows(answered: readonly Answered[], labels: Labels): CsvCell[][] {
  const head = [labels.csv_question, labels.csv_title, labels.csv_kind, labels.csv_answer];
  const rows = answered.flatMap(({ question, answers }, n) =>
    answers.map((answer): CsvCell[] => [n + 1, question.title, question.kind, cellOf(question, answer)]),
  );
  return [head, ...rows];
}

// Cells by row and column, counted from 1; a curve by its heights, from 0 to 1.
function cellOf({ kind, columns }: Question, answer: unknown): CsvCell {
  if (kind === "number") return Number(answer);
  if (kind === "token") return String(answer);
  const numbers = answer as readonly (number | null)[];
  if (kind === "curve") return numbers.map((share) => share ?? "–").join(" ");
  return numbers
    .map((place) => `${Math.floor(Number(place) / columns) + 1}:${(Number(place) % columns) + 1}`)
    .join(" ");
}
