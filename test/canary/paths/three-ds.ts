import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { creqOf } from '../../three-ds/support/challenge.ts'
import { collect } from '../../three-ds/support/collection.ts'
import { formOf, openScriptedBrowser, type Page } from '../../three-ds/support/scripted-browser.ts'
import { BROWSER, EXPIRY, RETURN_URL, type Answer } from '../../three-ds/support/shop.ts'
import { MARKED_USER } from '../marked-user.ts'
import { card, CAVV, CODE, ONE_TIME_CODE, PASSWORD } from '../marks.ts'
import { inTurn, valueOf, type Path } from '../path.ts'
import type { Form, ProgramRun } from '../program-run.ts'
import { makeToken } from './tokens.ts'

/** In the simulator's ranges, and so like many other numbers: nothing of it can be looked for. */
const CHALLENGED = '4000000000002503'
const PAGES = ['Collect', 'Collect/data', 'MethodNotify', 'StepUp', 'Term']
const FIELDS = [
  'JWT',
  'MD',
  'Bin',
  'cres',
  'threeDSSessionData',
  'threeDSMethodData',
  'handle',
  'language',
  'screenWidth',
]

/**
 * 3-D Secure: preparation, enrolment, challenge and final call; the number and the code where they
 * do not belong.
 */
export const threeDs: Path = {
  name: '3-D Secure',
  seen: ['threeDs'],
  async push(run) {
    const number = card('threeDs')
    const prepared = await prepare(run, { PMT_NUMB: number })
    const reference = valueOf(prepared, 'DDC_REFERENCEID')
    const paid = await run.send(enrolment(number, reference))
    if (valueOf(paid, 'TRANS_STATUS_NAME') !== 'APPROVED')
      throw new Error(`An enrolment was answered: ${paid}`)
    await challenge(run, { PMT_NUMB: CHALLENGED, PMT_KEY: CODE })
    // Its security code waits at the gateway for the final call.
    await challenge(run, { TOKEN_GUID: await makeToken(run, CHALLENGED) })

    await inTurn(4, wrongRequests(number, reference).values(), (fields) => run.send(fields))
    await inTurn(
      4,
      [
        'PMT_BIN',
        'MERCH_ACCT_ID',
        'REQUEST_CURRENCY',
        'BILL_ADDR_COUNTRY',
        'CUST_ID',
        'XTL_IP',
        number,
      ].values(),
      (name) => prepare(run, { PMT_NUMB: number, [name]: number }),
    )
    await run.request(`/payment/3dsrequest.cfm?PMT_NUMB=${number}&PMT_KEY=${CODE}`, {
      method: 'GET',
    })
    await inTurn(4, pastedIntoPages(number).values(), ({ path, fields }) =>
      run.request(path, { method: 'POST', body: new URLSearchParams(fields) }),
    )
    await run.request(`/V2/Cruise/StepUp?JWT=${number}`, { method: 'GET' })
    await run.request('/V2/Cruise/StepUp/status', { headers: { 'page-handle': number } })
    await run.send({
      ...enrolment(number, reference),
      REQUEST_ENROLLMENT: '0',
      P3DS_CAVV: CAVV.toString('base64'),
      P3DS_ECI: '05',
      P3DS_VERSION: '2.2.0',
      P3DS_TRANSID: '8a880dc0-d2d2-4067-bcb1-b08d1690b26e',
    })
    await run.send({
      ...enrolment(number, reference),
      P3DS_CAVV: CAVV.toString('base64'),
      P3DS_ECI: '05',
    })
  },
}

function enrolment(number: string, reference: string): Form {
  return enrolmentOf({ PMT_NUMB: number, PMT_KEY: CODE }, reference)
}

function enrolmentOf(paidWith: Form, reference: string): Form {
  return {
    REQUEST_ACTION: 'CCAUTHCAP',
    ...paidWith,
    PMT_EXPIRY: EXPIRY,
    LI_VALUE_1: '10.00',
    REQUEST_ENROLLMENT: '1',
    DDC_REFERENCEID: reference,
    P3DS_RETURN_URL: RETURN_URL,
    ...BROWSER,
  }
}

function wrongRequests(number: string, reference: string): Form[] {
  const good = enrolment(number, reference)
  const names = [
    'DDC_REFERENCEID',
    'P3DS_RETURN_URL',
    'P3DS_CHALLENGE_WINDOW',
    'P3DS_PROCTRANSID',
    'REQUEST_PARES',
    'P3DS_TRANSID',
    'P3DS_CAVV',
    'P3DS_ECI',
    'P3DS_XID',
    'P3DS_VERSION',
    ...Object.keys(BROWSER),
  ]
  return [
    ...names.map((name) => ({ ...good, [name]: number })),
    { ...good, P3DS_RETURN_URL: `https://shop.example/${number}` },
    { ...good, USER_AGENT_XTL: '' },
    { ...good, P3DS_PROCTRANSID: 'A'.repeat(20), REQUEST_PARES: number },
  ]
}

function pastedIntoPages(number: string): { readonly path: string; readonly fields: Form }[] {
  return PAGES.flatMap((page) =>
    FIELDS.map((field) => ({
      path: `/V2/Cruise/${page}`,
      fields: {
        [field]:
          field.endsWith('Data') || field === 'cres'
            ? Buffer.from(number).toString('base64url')
            : number,
      },
    })),
  )
}

function prepare(run: ProgramRun, fields: Form): Promise<string> {
  const all = {
    REQ_USERNAME: MARKED_USER,
    REQ_PASSWORD: PASSWORD,
    SITE_ID: '1001',
    REQUEST_API_VERSION: '4.14',
    MERCH_ACCT_ID: '2001',
    ...fields,
  }
  return run.request('/payment/3dsrequest.cfm', { method: 'POST', body: new URLSearchParams(all) })
}

/**
 * Goes through a whole challenge: a wrong code first, so that it is in what the browser and the
 * issuer say.
 */
async function challenge(run: ProgramRun, paidWith: Form): Promise<void> {
  const browser = openScriptedBrowser(
    readFileSync(join(run.dataDir, 'bank', 'three-ds', 'ca.pem'), 'utf8'),
  )
  const keep = (page: Page): Page => {
    if (page.url.startsWith(run.baseUrl))
      run.keep('a page', page.text + JSON.stringify(page.headers))
    return page
  }
  const prepared = await prepare(run, { PMT_BIN: CHALLENGED.slice(0, 6) })
  keep(await collect({ browser }, JSON.parse(prepared) as Answer))
  const sent = enrolmentOf(paidWith, valueOf(prepared, 'DDC_REFERENCEID'))
  const pending = await run.send(sent)
  if (valueOf(pending, 'TRANS_STATUS_NAME') !== 'PENDING')
    throw new Error(`A challenge was answered: ${pending}`)
  const stepUp = keep(
    await browser.post(valueOf(pending, 'P3DS_ACS_URL'), {
      JWT: valueOf(pending, 'P3DS_PAYLOAD'),
      MD: 'order',
    }),
  )
  const { fields, url } = creqOf(stepUp)
  let issuer = await browser.post(url, fields)
  for (const code of [ONE_TIME_CODE, '1234']) {
    const { action, fields: hidden } = formOf(issuer)
    issuer = await browser.post(action, { ...hidden, challengeDataEntry: code, do: 'submit' })
  }
  const { action, fields: carried } = formOf(issuer)
  keep(await browser.post(action, carried))
  const final = {
    ...sent,
    P3DS_PROCTRANSID: valueOf(pending, 'P3DS_PROCTRANSID'),
    REQUEST_PARES: '',
  }
  for (let time = 0; time < 2; time += 1) {
    const answer = await run.send(final)
    if (valueOf(answer, 'P3DS_RESPONSE') !== 'Y')
      throw new Error(`A final call was answered: ${answer}`)
  }
}
