/**
 * Facts about a browser from the data collection page, as kept in three_ds_collections.browser. A
 * browser can say anything, so these are hints: values of the merchant's server come first. Null:
 * not said, or not in a form that an issuer takes.
 */
export interface CollectedBrowser {
  readonly language: string | null
  readonly javaEnabled: boolean | null
  readonly colorDepth: number | null
  readonly screenHeight: number | null
  readonly screenWidth: number | null
  /** Signed minutes, positive west of UTC. */
  readonly timeZone: number | null
}

const LANGUAGE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/
const MOST_PIXELS = 999_999
const MOST_BITS = 99
/** Fourteen hours, the largest distance from UTC there is. */
const MOST_MINUTES = 840

/** Reads the fields of the page's form, each by itself: one that is wrong is left out. */
export function readCollectedBrowser(fields: ReadonlyMap<string, string>): CollectedBrowser {
  const language = fields.get('language') ?? ''
  const java = fields.get('javaEnabled')
  return {
    language: language.length <= 35 && LANGUAGE.test(language) ? language : null,
    javaEnabled: java === 'true' ? true : java === 'false' ? false : null,
    colorDepth: wholeNumber(fields.get('colorDepth'), 1, MOST_BITS),
    screenHeight: wholeNumber(fields.get('screenHeight'), 0, MOST_PIXELS),
    screenWidth: wholeNumber(fields.get('screenWidth'), 0, MOST_PIXELS),
    timeZone: wholeNumber(fields.get('timeZone'), -MOST_MINUTES, MOST_MINUTES),
  }
}

function wholeNumber(text: string | undefined, least: number, most: number): number | null {
  if (text === undefined || !/^-?[0-9]{1,6}$/.test(text)) return null
  const number = Number(text)
  return number >= least && number <= most ? number + 0 : null
}
