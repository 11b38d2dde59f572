// oxlint-disable-next-line no-control-regex -- these are what is taken out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/g

/**
 * A text without control characters and outer blanks, cut to `max` characters; null when nothing is
 * left.
 */
export function shortened(text: string, max: number): string | null {
  if (text === '') return null
  const clean = text.toWellFormed().replace(CONTROLS, ' ').trim()
  const cut = clean.slice(0, max)
  // A character of two halves is not cut in the middle.
  const whole = /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
  return whole.trim() || null
}

/** An object without what is null: an element that is not known is left out. */
export function withoutNulls(
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}
