/** The facts of an installation that the first page of a sandbox shows. */
export interface SandboxFacts {
  /** The address for browsers, without a slash at the end. */
  readonly publicUrl: string
  /** The address of the portal, without a slash at the end. */
  readonly portalUrl: string
  /** A line for a shell that makes a payment. */
  readonly firstPayment: string
  /** The published user and password of each sign-in. */
  readonly portal: readonly [user: string, password: string]
  readonly api: readonly [user: string, password: string]
}

const OUTCOMES = [
  ['4111111111111111', '12.50', 'approved'],
  ['4111111111111111', '5.05', 'declined by the bank'],
  ['4111111111111111', '9000.51', 'declined with the DE 39 code of the cents: 51'],
  ['4242429000000001', '12.50', 'declined: insufficient funds'],
  ['4111111111111111', '9101.01', 'FAILED: the bank never answers'],
  ['4000000000002701', '12.50', '3-D Secure: authenticated without a challenge'],
] as const

/** The style of both pages; a policy lets it pass by its digest. */
export const WELCOME_STYLE = `
:root {
  color-scheme: light dark;
  --line: light-dark(#d8dee4, #3a434c);
  --accent: light-dark(#0b7285, #66d9e8);
}
body {
  font: 16px/1.5 system-ui, sans-serif;
  max-width: 46rem;
  margin: 0 auto;
  padding: 3rem 1.25rem;
}
h1 { display: flex; gap: .75rem; align-items: center; margin: 0 0 .5rem }
h1 img { width: 2.25rem; height: 2.25rem }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.15rem }
a { color: var(--accent) }
table { border-collapse: collapse; width: 100% }
th, td {
  text-align: left;
  padding: .4rem .75rem .4rem 0;
  border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere;
}
code, pre { font: .9rem/1.5 ui-monospace, monospace }
pre {
  border: 1px solid var(--line);
  border-radius: 6px;
  padding: .75rem;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
  user-select: all;
}
`

/** The first page of a sandbox: what it is, how to sign in, and a payment to copy. */
export function sandboxPage(facts: SandboxFacts): string {
  const { api, firstPayment, portal, portalUrl, publicUrl } = facts
  const link = (path: string, text: string): string => {
    const origin = path.startsWith('/portal') ? portalUrl : publicUrl
    return `<a href="${escape(origin + path)}">${text}</a>`
  }
  return page(`
<h1><img src="/favicon.svg" alt=""> Tollgate sandbox</h1>
<p>A card payment gateway with a test bank. It moves no money: never send real card numbers.</p>
<h2>Send a first payment</h2>
<p>Copy this line into a shell. One click selects it.</p>
<pre>${escape(firstPayment)}</pre>
<p>The ${link('/portal/developer/requests', 'request log')} shows the payment and its answer.</p>
<h2>Sign in</h2>
${table(
  ['', 'User', 'Password'],
  [
    [link('/portal', 'Portal'), ...portal],
    ['Payment interface', ...api],
  ],
)}
<h2>Choose an outcome</h2>
${table(['Card', 'Amount', 'Outcome'], OUTCOMES)}
<p>${link('/portal/developer/test-values', 'Test values')} lists every card and amount.</p>
<h2>Read the documents</h2>
<p>They are in the folder <code>docs</code> of the source. Integrators start with
<code>docs/integrators/README.md</code>, operators with <code>docs/operators/README.md</code>.</p>
<p>${link('/health', 'Health of this gateway')}</p>
`)
}

/** The first page in production: a visitor learns the name of the product only. */
export const PRODUCTION_PAGE = page('<h1><img src="/favicon.svg" alt=""> Tollgate</h1>')

function page(body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tollgate</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${WELCOME_STYLE}</style>
</head>
<body>
<main>${body}</main>
</body>
</html>
`
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<table>${row(heads, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table>`
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
