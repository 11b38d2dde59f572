import { randomBytes } from 'node:crypto'
import type { HttpsReply } from './https-listener.ts'
import { showAmount } from './iso-codes.ts'
import type { Transaction } from './transactions.ts'

/** The target of the challenge page's form. */
export const CHALLENGE_PATH = '/acs/creq/challenge'

const NOTICES = {
  first: null,
  wrong: 'This code is wrong. Please try again.',
  no_more_codes: 'The code cannot be sent again.',
} as const

export type Notice = keyof typeof NOTICES | 'sent_again'

/** Escapes every value that the pages show. */
function html(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

const STYLE = `
*{box-sizing:border-box}
body{margin:0;background:#f4f6f9;color:#1c2733;font:15px/1.4 system-ui,sans-serif}
header{background:#dce6f2;color:#23405f;padding:.4rem .75rem;font-size:.75rem;font-weight:600;letter-spacing:.06em;text-align:center}
main{max-width:32rem;margin:0 auto;padding:.6rem .75rem 1rem}
h1{font-size:1.1rem;margin:.2rem 0 .5rem}
p{margin:.5rem 0}
dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem .75rem;margin:0 0 .5rem}
dt{color:#4a5a6b}
dd{margin:0;text-align:right;overflow-wrap:anywhere}
label{display:block;font-weight:600;margin:.5rem 0 .2rem}
input[type=text]{width:100%;padding:.5rem;font:inherit;font-size:1.1rem;letter-spacing:.1em;border:1px solid #74879b;border-radius:6px;background:#fff;color:inherit}
button{font:inherit;min-height:2.5rem;padding:.4rem .9rem;border-radius:6px;border:1px solid #74879b;background:#fff;color:#23405f;cursor:pointer}
#submitButton{width:100%;margin-top:.6rem;background:#1f5fa8;border-color:#1f5fa8;color:#fff;font-weight:600}
.more{display:flex;flex-wrap:wrap;gap:.5rem;margin-top:.5rem}
.more button{flex:1 1 auto;padding:.4rem .5rem;white-space:nowrap}
:focus-visible{outline:3px solid #f2a33a;outline-offset:1px}
[role=alert]{background:#fdecea;color:#8c1d18;border-radius:6px;padding:.5rem .6rem}
[role=status]{background:#e5f3e8;color:#1d5a2d;border-radius:6px;padding:.5rem .6rem}
.hint{color:#4a5a6b;font-size:.85rem}
@media (min-width:500px){main{padding:1.25rem 1.5rem 1.75rem}h1{font-size:1.3rem}body{font-size:16px}}
@media (min-width:800px) and (min-height:600px){main{margin-top:3rem;background:#fff;border-radius:10px;box-shadow:0 1px 6px #1c273322}}
`

/** The content of a page's head and headers. */
interface PageOptions {
  readonly status?: number
  readonly title: string
  /** HTML of the body, banner aside. */
  readonly content: string
  /** Origins that a form on the page goes to, besides this one. */
  readonly formOrigins?: readonly string[]
  readonly script?: string
}

/**
 * A page of the ACS. Any page may frame it: frame-ancestors checks the whole chain, which includes
 * the shop.
 */
export function page(options: PageOptions): HttpsReply {
  const { content, formOrigins = [], script, status = 200, title } = options
  const nonce = randomBytes(16).toString('base64')
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ...(script === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
    "base-uri 'none'",
    `form-action ${["'self'", ...formOrigins].join(' ')}`,
  ]
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy.join('; '),
      'Referrer-Policy': 'strict-origin',
      'X-Content-Type-Options': 'nosniff',
    },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${html(title)}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header>SIMULATED BANK</header>
<main>
${content}
</main>
${script === undefined ? '' : `<script nonce="${nonce}">${script}</script>`}
</body>
</html>
`,
  }
}

/** The page that asks for the code. `mac` proves that the form was made here. */
export function challengePage(transaction: Transaction, notice: Notice, mac: string): HttpsReply {
  const { acsTransID, notificationURL } = transaction
  return page({
    title: 'Confirm your payment',
    formOrigins: [new URL(notificationURL).origin],
    content: `<h1>Confirm your payment</h1>
${detailsOf(transaction)}
${noticeOf(notice)}
<p>We have sent a code to ${html(maskedPhone(transaction))}.</p>
<form method="post" action="${CHALLENGE_PATH}" autocomplete="off">
<input type="hidden" name="acsTransID" value="${html(acsTransID)}">
<input type="hidden" name="mac" value="${html(mac)}">
<label for="code">Code</label>
<input type="text" id="code" name="challengeDataEntry" inputmode="numeric" autocomplete="one-time-code" maxlength="10" required${notice === 'wrong' ? ' aria-invalid="true" aria-describedby="notice"' : ''}>
<button type="submit" id="submitButton" name="do" value="submit">Confirm</button>
<div class="more">
<button type="submit" name="do" value="resend" formnovalidate>Resend code</button>
<button type="submit" name="do" value="cancel" formnovalidate>Cancel</button>
</div>
</form>
<p class="hint">No real bank and no real money. The code is 1234.</p>`,
  })
}

/** A page without any control, for the fault card whose cardholder is stuck. */
export function deadPage(transaction: Transaction): HttpsReply {
  return page({
    title: 'Confirm your payment',
    content: `<h1>Confirm your payment</h1>
${detailsOf(transaction)}
<p>Please wait.</p>`,
  })
}

/** Sends the browser on to `url` with some fields, by itself or with a button. */
export function forwardPage(url: string, fields: Readonly<Record<string, string>>): HttpsReply {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${html(name)}" value="${html(value)}">`,
  )
  return page({
    title: 'One moment',
    formOrigins: [new URL(url).origin],
    content: `<h1>One moment</h1>
<form method="post" action="${html(url)}">
${inputs.join('\n')}
<noscript>
<p>Go on to return to the shop.</p>
<button type="submit" id="submitButton">Continue</button>
</noscript>
</form>`,
    script: 'document.forms[0].submit()',
  })
}

/** A page for users with the reason for a failure, and nothing else. */
export function faultPage(status: number, sentence: string): HttpsReply {
  return page({
    status,
    title: 'This cannot be done',
    content: `<h1>This cannot be done</h1>
<p>${html(sentence)}</p>`,
  })
}

function detailsOf({ amount, currency, merchantName, pan, purchaseDate }: Transaction): string {
  const date = purchaseDate.replace(/^(\d{4})(\d{2})(\d{2}).*$/, '$1-$2-$3')
  const rows = [
    ['Merchant', merchantName],
    ['Amount', showAmount(amount.toString(), currency)],
    ['Date', date],
    ['Card', `**** ${pan.slice(-4)}`],
  ]
  const lines = rows
    .filter(([, value]) => value !== '')
    .map(([name = '', value = '']) => `<dt>${name}</dt><dd>${html(value)}</dd>`)
  return `<dl>\n${lines.join('\n')}\n</dl>`
}

function noticeOf(notice: Notice): string {
  if (notice === 'sent_again') return '<p role="status">Code sent again.</p>'
  const text = NOTICES[notice]
  return text === null ? '' : `<p role="alert" id="notice">${text}</p>`
}

function maskedPhone({ phone }: Transaction): string {
  return phone.length < 4 ? 'your phone' : `your phone *** *** **${phone.slice(-2)}`
}
