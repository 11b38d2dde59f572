import { z } from 'zod'
import { readJson } from '../base/json-faults.ts'
import { refused, type Result } from '../base/refusal.ts'
import { parseEndpoint } from '../usecases/banks/processor-links.ts'
import type { LinkDraft } from '../usecases/merchants/operator.ts'
import { isLoopback } from './loopback.ts'
import { createPemFiles, type ReadPem } from './pem-files.ts'

const NAME = 'lower-case letters, digits and dashes, at most 40, the first no dash'
const ADDRESSES = 'one or two addresses such as "acquirer.example:8583"'
const INSTITUTION = 'text of 1 to 11 digits, the first not 0'
const TLS =
  '"off", or caFile with certFile and keyFile where the acquirer wants a client certificate'

function wholeNumber(low: number, high: number, fallback: number): z.ZodType<number> {
  const error = `a whole number from ${low} to ${high}`
  return z
    .number({ error })
    .int({ error })
    .min(low, { error })
    .max(high, { error })
    .default(fallback)
}

const file = z
  .string({ error: 'the name of a PEM file' })
  .min(1, { error: 'the name of a PEM file' })

const SCHEMA = z.strictObject({
  name: z.string({ error: NAME }).regex(/^[a-z0-9][a-z0-9-]{0,39}$/, { error: NAME }),
  mode: z.enum(['test', 'live'], { error: '"test" or "live"' }),
  addresses: z
    .array(z.string({ error: ADDRESSES }), { error: ADDRESSES })
    .refine((texts) => texts.length === 1 || texts.length === 2, { error: ADDRESSES })
    .refine((texts) => texts.every((text) => parseEndpoint(text) !== null), { error: ADDRESSES }),
  profile: z.enum(['house', 'house-bcd'], { error: '"house" or "house-bcd"' }),
  institutionId: z
    .string({ error: INSTITUTION })
    .regex(/^[1-9][0-9]{0,10}$/, { error: INSTITUTION }),
  echoIdleSeconds: wholeNumber(1, 3_600, 60),
  window: wholeNumber(1, 4_096, 512),
  messageTimeoutMs: wholeNumber(100, 120_000, 25_000),
  batchAgreement: z.boolean({ error: 'true or false' }).default(false),
  tls: z.union(
    [
      z.literal('off'),
      z.strictObject({ caFile: file, certFile: file.optional(), keyFile: file.optional() }),
    ],
    { error: TLS },
  ),
})

type TlsFiles = Exclude<z.infer<typeof SCHEMA>['tls'], 'off'>

/** A processor link as a file describes it, and sentences about what may be a mistake. */
export type ReadLink = Result<{
  readonly link: LinkDraft
  readonly warnings: readonly string[]
}>

/** Reads the description of a processor link, and the PEM files that it names. */
export function readLinkFile(text: string, readPem: ReadPem, now: Date): ReadLink {
  const read = readJson(text, SCHEMA)
  if (!read.ok) return read
  const { tls: files, ...rest } = read.value
  if (files === 'off') return judgePlainText({ ...rest, tls: null })
  const faults: string[] = []
  const tls = readTls(files, readPem, now, faults)
  return faults.length > 0
    ? refused('invalid', faults)
    : { ok: true, link: { ...rest, tls }, warnings: [] }
}

/** A link without TLS, unless its card data would cross the network for live accounts. */
function judgePlainText(link: LinkDraft): ReadLink {
  const { addresses, mode, name } = link
  if (addresses.every((text) => isLoopback(parseEndpoint(text)?.host ?? ''))) {
    return { ok: true, link, warnings: [] }
  }
  if (mode === 'live') {
    const fault =
      `The live link ${name} has "tls": "off", and card data would cross the network in plain ` +
      'text. Give it the certificate of who signs for the acquirer in "tls", or the address of a ' +
      'tunnel on this machine, such as 127.0.0.1:8583.'
    return refused('invalid', fault)
  }
  const warning = `The link ${name} is in plain text: card data crosses the network as it is.`
  return { ok: true, link, warnings: [warning] }
}

function readTls(files: TlsFiles, readPem: ReadPem, now: Date, faults: string[]): LinkDraft['tls'] {
  const pem = createPemFiles(readPem, now, faults)
  const ca = pem.certificate('tls.caFile', files.caFile)
  const { certFile, keyFile } = files
  if ((certFile === undefined) !== (keyFile === undefined)) {
    faults.push('tls.certFile and tls.keyFile belong together, but only one of them is there.')
  }
  if (certFile === undefined || keyFile === undefined) return { ca, client: null }
  return { ca, client: pem.client('tls', ca, certFile, keyFile) }
}
