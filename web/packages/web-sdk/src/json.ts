/** Return what a JSON text says; null where it is none. */
export function parsed<Value = unknown>(text: string | null): Value | null {
  try {
    return JSON.parse(text ?? "null") as Value | null;
  } catch {
    return null;
  }
}
