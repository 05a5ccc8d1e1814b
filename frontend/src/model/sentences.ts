// Errors that are sentences for a person: what was given, and what is allowed.

const LONGEST = 100; // the most characters of a value in a sentence

export class SentenceError extends Error {
  override readonly name = "SentenceError";
  // Apart, so that the template can be translated.
  readonly template: string;
  readonly values: Readonly<Record<string, unknown>>;

  constructor(template: string, values: Readonly<Record<string, unknown>> = {}) {
    super(template.replace(/\{(\w+)\}/g, (placeholder, name) => String(values[name] ?? placeholder)));
    this.template = template;
    this.values = values;
  }
}

// The value as JSON, its middle left out where it is long.
export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  const half = (LONGEST - 3) >> 1;
  return text.length > LONGEST ? `${text.slice(0, half)}...${text.slice(-half)}` : text;
}
