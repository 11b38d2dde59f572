import { dataOf, formOf, formsOf, type Fields, type Page } from './scripted-browser.ts'
import type { Answer } from './shop.ts'
import type { World } from './world.ts'

/** The data that the page's script collects about a browser. */
export const FOUND: Fields = {
  language: 'de-CH',
  javaEnabled: 'false',
  colorDepth: '30',
  screenHeight: '900',
  screenWidth: '1600',
  timeZone: '-60',
}

/** Step 2, as the page's script does it; without the issuer's own page where `method` is false. */
export async function collect(
  { browser }: Pick<World, 'browser'>,
  prepared: Answer,
  { found = FOUND, method = true }: { readonly found?: Fields; readonly method?: boolean } = {},
): Promise<Page> {
  const page = await browser.post(prepared['DDC_URL'] ?? '', { JWT: prepared['JWT'] ?? '' })
  const { handle } = dataOf(page)
  const url = new URL('/V2/Cruise/Collect/data', page.url).href
  await browser.post(url, { handle: String(handle), ...found })
  const form = formsOf(page).find(({ fields }) => 'threeDSMethodData' in fields)
  if (!method || form === undefined || form.fields['threeDSMethodData'] === '') return page
  const issuer = await browser.post(form.action, form.fields)
  if (formsOf(issuer).length === 0) return page
  const back = formOf(issuer)
  await browser.post(back.action, back.fields)
  return page
}
