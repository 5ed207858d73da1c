/** The calendar day there, as YYYY-MM-DD. `timeZone`: IANA name; UTC where it is not known. */
export function localDay(at: Date, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at);
  } catch {
    return at.toISOString().slice(0, 10);
  }
}
