import { carried, formOf, formsOf, type Fields, type Page } from './scripted-browser.ts'
import type { Answer } from './shop.ts'
import type { World } from './world.ts'

/** A challenge that is on the cardholder's screen. */
export interface OpenChallenge {
  /** The gateway's page, and what it gives to its script. */
  readonly stepUp: Page
  /** The issuer's page. */
  readonly issuer: Page
}

type With = Pick<World, 'browser'>

/** Step 4 up to the issuer's first page: the gateway's page, then the CReq that it holds. */
export async function openChallenge({ browser }: With, answer: Answer): Promise<OpenChallenge> {
  const stepUp = await openStepUp({ browser }, answer)
  const { url, fields } = creqOf(stepUp)
  return { stepUp, issuer: await browser.post(url, fields) }
}

export function openStepUp({ browser }: With, answer: Answer): Promise<Page> {
  return browser.post(answer['P3DS_ACS_URL'] ?? '', { JWT: answer['P3DS_PAYLOAD'] ?? '' })
}

/** The form that the page's inner frame posts to the issuer. */
export function creqOf(stepUp: Page): { readonly url: string; readonly fields: Fields } {
  const form = formsOf(stepUp).find(({ fields }) => 'creq' in fields)
  if (form === undefined)
    throw new Error(`There is no CReq on the page: ${stepUp.status} ${stepUp.text}`)
  return { url: form.action, fields: form.fields }
}

/** Types a code, or presses another button, on the issuer's page. */
export async function press(
  { browser }: With,
  issuer: Page,
  what: string,
  code = '',
): Promise<Page> {
  const { action, fields } = formOf(issuer)
  return await browser.post(action, { ...fields, challengeDataEntry: code, do: what })
}

/** Does what the issuer's last page does by itself: brings the CRes to the gateway. */
export async function release(
  { browser }: With,
  issuer: Page,
  changed: Fields = {},
): Promise<Page> {
  const { action, fields } = formOf(issuer)
  return await browser.post(action, { ...fields, ...changed })
}

/** The CRes on the issuer's last page. */
export function cresOn(issuer: Page): Record<string, unknown> {
  return carried(formOf(issuer).fields['cres'] ?? '')
}

/** The whole of step 4 with one code. */
export async function passChallenge(world: With, answer: Answer, code = '1234'): Promise<void> {
  const { issuer } = await openChallenge(world, answer)
  await release(world, await press(world, issuer, 'submit', code))
}
