// A reporter for node --test: which tests failed, and whether by an assertion, a line of JSON each.

export default async function* (events) {
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.details.type === "suite") continue;
    const cause = data.details.error.cause;
    const assertion = cause?.code === "ERR_ASSERTION";
    yield `${JSON.stringify({ test: data.name, assertion, error: String(cause?.name ?? cause) })}\n`;
  }
}
