import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { readJson } from '../base/json-faults.ts'
import { refused, type Result } from '../base/refusal.ts'
import { BRAND_PREFIXES, type CardBrand } from '../domain/payments/card.ts'
import {
  SIMULATOR_REFERENCE,
  SIMULATOR_SUBJECT,
  type ResultsCertificate,
  type ThreeDsDirectory,
} from '../usecases/three-ds/directory.ts'
import { createPemFiles, pemsIn } from './pem-files.ts'

const BRANDS = BRAND_PREFIXES.map(([brand]) => brand)
const NAME = 'lower-case letters, digits and dashes, at most 40, the first no dash'
const LISTED = `a list of card brands, of ${BRANDS.join(', ')}`
const SUBJECTS = 'a list of the common names in the certificates that may bring results'
const ADDRESS = 'an https address without a user in it, such as https://ds.example/3ds'
const FILE = 'the name of a PEM file'
const VERSION = '"2.1.0" or "2.2.0"'

const file = z.string({ error: FILE }).min(1, { error: FILE })
const id = (error: string): z.ZodString => z.string({ error }).min(1, { error }).max(32, { error })
const version = z.enum(['2.1.0', '2.2.0'], { error: VERSION })

const SCHEMA = z.strictObject({
  results: z.strictObject(
    { certFile: file, keyFile: file },
    { error: 'an object with certFile and keyFile, with which the address for results is served' },
  ),
  directories: z
    .array(
      z.strictObject({
        name: z.string({ error: NAME }).regex(/^[a-z0-9][a-z0-9-]{0,39}$/, { error: NAME }),
        brands: z
          .array(z.enum(BRANDS as [CardBrand, ...CardBrand[]], { error: LISTED }), {
            error: LISTED,
          })
          .min(1, { error: LISTED }),
        url: z.string({ error: ADDRESS }).refine(isAddress, { error: ADDRESS }),
        caFile: file,
        certFile: file,
        keyFile: file,
        refNumber: id('the threeDSServerRefNumber, at most 32 characters'),
        operatorId: id('the threeDSServerOperatorID, at most 32 characters')
          .nullable()
          .default(null),
        resultSubjects: z
          .array(z.string({ error: SUBJECTS }).min(1, { error: SUBJECTS }), { error: SUBJECTS })
          .min(1, { error: SUBJECTS }),
        versions: z
          .strictObject({ from: version, to: version }, { error: 'an object with from and to' })
          .default({ from: '2.1.0', to: '2.2.0' }),
      }),
      { error: 'a list of Directory Servers' },
    )
    .min(1, { error: 'a list of Directory Servers' }),
})

function isAddress(text: string): boolean {
  if (!URL.canParse(text) || text.length > 2_048) return false
  const { hostname, password, protocol, username } = new URL(text)
  return protocol === 'https:' && hostname !== '' && username === '' && password === ''
}

/**
 * Reads the description of the Directory Servers of live accounts, and the PEM files that it names,
 * from `folder` on. A server that looks like the simulator is refused.
 */
export function readThreeDsDirectoryFile(
  text: string,
  folder: string,
  now: Date,
): Result<{
  readonly directories: readonly ThreeDsDirectory[]
  readonly results: ResultsCertificate
}> {
  const read = readJson(text, SCHEMA)
  if (!read.ok) return read
  const faults: string[] = []
  const pem = createPemFiles(pemsIn(folder), now, faults)
  const { certFile: resultsCert, keyFile: resultsKey } = read.value.results
  const results = pem.pair('results', resultsCert, resultsKey)
  const seen = new Map<CardBrand, string>()
  const names = new Set<string>()
  const directories = read.value.directories.map((entry, place): ThreeDsDirectory => {
    const at = `directories.${place}`
    const { caFile, certFile, keyFile, ...rest } = entry
    if (names.has(entry.name))
      faults.push(`${at}.name is ${entry.name}, which another one has already.`)
    names.add(entry.name)
    for (const brand of entry.brands) {
      const other = seen.get(brand)
      if (other !== undefined)
        faults.push(`${at}.brands names ${brand}, which ${other} has already.`)
      seen.set(brand, entry.name)
    }
    if (entry.versions.from > entry.versions.to) {
      faults.push(
        `${at}.versions goes from ${entry.versions.from} to ${entry.versions.to}; turn it round.`,
      )
    }
    const ca = pem.certificate(`${at}.caFile`, caFile)
    const client = pem.client(at, ca, certFile, keyFile)
    const traits = simulatorTraits(entry.url, entry.refNumber, [ca, client.cert])
    if (traits.length > 0) {
      faults.push(
        `${at} is the simulator, or looks like it (${traits.join(', ')}): it authenticates test cards ` +
          'without a bank, and live accounts never use it.',
      )
    }
    return {
      ...rest,
      name: `live ${entry.name}`,
      mode: 'live',
      ca,
      ...client,
      browserHosts: null,
      simulated: false,
    }
  })
  return faults.length > 0 ? refused('invalid', faults) : { ok: true, directories, results }
}

/** The traits by which a description looks like the simulator and not like a scheme's server. */
function simulatorTraits(
  url: string,
  refNumber: string,
  certificates: readonly string[],
): string[] {
  const traits: string[] = []
  const host = new URL(url).hostname
  if (/^(127\.|\[::1\]$)|(^|\.)localhost$/i.test(host))
    traits.push('its address is on this machine')
  if (SIMULATOR_REFERENCE.test(refNumber)) traits.push('its refNumber')
  const isSimulators = (pem: string): boolean => {
    try {
      const { issuer, subject } = new X509Certificate(pem)
      return [issuer, subject].some((name) =>
        name.split('\n').some((part) => isSimulatorName(part)),
      )
    } catch {
      return false
    }
  }
  if (certificates.some(isSimulators)) traits.push('its certificates')
  return traits
}

function isSimulatorName(part: string): boolean {
  return part.startsWith('CN=') && SIMULATOR_SUBJECT.test(part.slice(3))
}
