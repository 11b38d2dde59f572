import { generate } from 'selfsigned'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { eventually } from './eventually.ts'

/** A mail as the server took it. */
export interface ReceivedMail {
  readonly to: string
  readonly from: string
  readonly isEncrypted: boolean
  readonly user: string
  /** The header's value, unfolded and decoded; '' for none. */
  header(name: string): string
  readonly text: string
  readonly html: string
  readonly raw: string
}

/** How the server treats the mails for one address. */
export type MailBehaviour =
  | 'accept'
  /** Takes the mail and closes the connection before it answers. */
  | 'take and close'
  | 'hang'
  | 'close'
  | { readonly at: 'sender' | 'recipient' | 'content'; readonly code: number }

export interface MailServer {
  readonly port: number
  /** PEM of the authority that signed its certificate. */
  readonly ca: string
  readonly user: string
  readonly password: string
  /** Everything that it took for an address. */
  received(address: string): readonly ReceivedMail[]
  /** Waits for that many mails to an address. */
  until(address: string, count: number): Promise<readonly ReceivedMail[]>
  /** For an address from now on. `sender` counts for the sender's address. */
  behave(address: string, behaviour: MailBehaviour): void
  stop(): Promise<void>
}

const USER = 'gateway'
const PASSWORD = 'mail-password-1'

/**
 * A mail server on loopback, with a certificate for `localhost`. It accepts everything from who
 * logs in, unless it is asked to misbehave.
 */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  })
  const all: ReceivedMail[] = []
  const behaviours = new Map<string, MailBehaviour>()
  const behaviourOf = (address: string): MailBehaviour => behaviours.get(address) ?? 'accept'
  const server: SMTPServer = new SMTPServer({
    key: pems.private,
    cert: pems.cert,
    authMethods: ['PLAIN', 'LOGIN'],
    closeTimeout: 100,
    onAuth({ password, username }, _, answer) {
      const isGood = username === USER && password === PASSWORD
      answer(isGood ? null : refusal(535), isGood ? { user: USER } : undefined)
    },
    onMailFrom: ({ address }, _, answer) => answer(refusalAt('sender', behaviourOf(address))),
    onRcptTo: ({ address }, _, answer) => answer(refusalAt('recipient', behaviourOf(address))),
    onData(stream, session, answer) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo[0]?.address ?? ''
        const behaviour = behaviourOf(to)
        if (behaviour === 'hang') return
        const refused = refusalAt('content', behaviour)
        if (behaviour === 'accept' || behaviour === 'take and close') {
          const { mailFrom } = session.envelope
          const raw = Buffer.concat(chunks).toString()
          const from = mailFrom === false ? '' : mailFrom.address
          const isEncrypted = session.secure
          all.push({ ...parsed(raw), to, from, isEncrypted, user: String(session.user ?? '') })
        }
        if (behaviour === 'close' || behaviour === 'take and close') {
          for (const connection of server.connections) connection._socket.destroy()
          return
        }
        answer(refused)
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  const address = server.server.address()
  const received = (to: string) => all.filter((mail) => mail.to === to)
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    ca: pems.cert,
    user: USER,
    password: PASSWORD,
    received,
    async until(to, count) {
      await eventually(`${count} mails for ${to} arrive`, () => received(to).length >= count)
      return received(to)
    },
    behave: (to, behaviour) => void behaviours.set(to, behaviour),
    stop: () => new Promise((closed) => server.close(closed)),
  }
}

function refusal(code: number): Error {
  return Object.assign(new Error(`refused with ${code}`), { responseCode: code })
}

function refusalAt(step: 'sender' | 'recipient' | 'content', behaviour: MailBehaviour) {
  const isHere = typeof behaviour === 'object' && behaviour.at === step
  return isHere ? refusal(behaviour.code) : null
}

function parsed(raw: string): Pick<ReceivedMail, 'header' | 'text' | 'html' | 'raw'> {
  const { body, header } = partOf(raw)
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(header('content-type')) ?? []
  const parts = body.split(`--${boundary}`).slice(1, -1)
  const contentOf = (type: string): string =>
    parts
      .map((part) => partOf(part.trimStart()))
      .find((part) => part.header('content-type').startsWith(type))?.text ?? ''
  return { raw, header, text: contentOf('text/plain'), html: contentOf('text/html') }
}

function partOf(raw: string) {
  const at = raw.indexOf('\r\n\r\n')
  const head = raw.slice(0, at).replace(/\r\n[ \t]+/g, ' ')
  const body = raw.slice(at + 4)
  const header = (name: string): string => {
    const line = head.split('\r\n').find((one) => one.toLowerCase().startsWith(`${name}:`))
    return decodedWords(line?.slice(name.length + 1).trim() ?? '')
  }
  const encoding = header('content-transfer-encoding').toLowerCase()
  return { header, body, text: decoded(body.trimEnd(), encoding).replaceAll('\r\n', '\n') }
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  return quotedPrintable(body.replace(/=\r\n/g, ''))
}

function quotedPrintable(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString()
}

/** Encoded words of RFC 2047. */
function decodedWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : quotedPrintable(word.replaceAll('_', ' ')),
    )
}
