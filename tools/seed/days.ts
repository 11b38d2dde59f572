export const DAY_MS = 86_400_000

/** The day of a moment in UTC, `2026-11-23`. @param at milliseconds since 1970 */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
