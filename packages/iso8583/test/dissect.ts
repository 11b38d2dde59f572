import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IsoMessage, Profile } from '../src/index.ts'
import { DISSECTED_PORT, pcapOf } from './pcap.ts'

/** tshark's reading of one message. */
export interface DissectedMessage {
  readonly mti: string
  readonly fields: Readonly<Record<number, string>>
  readonly malformed: boolean
}

/** Null when tshark can be run; else the reason, for a test to skip itself with. */
export function whyNoTshark(): string | null {
  const { error, status } = spawnSync('tshark', ['--version'])
  if (error === undefined && status === 0) return null
  return 'tshark is not installed: install the package tshark to check messages against it'
}

/**
 * tshark's readings of these encoded messages (without frame lengths), in their order. They are put
 * on one TCP connection in a capture file, which is deleted again. Throws when tshark fails or
 * finds another number of messages.
 */
export function dissectWithTshark(
  messages: readonly Buffer[],
  profile: Profile,
  seed = 1,
): DissectedMessage[] {
  const dissected = runTshark(pcapOf(messages, seed), profile).flatMap(messagesOf)
  if (dissected.length === messages.length) return dissected
  throw new Error(`tshark found ${dissected.length} of ${messages.length} messages`)
}

/**
 * The fields in which tshark reads something else than was encoded; 0 stands for the MTI. Fields
 * that its 1987 table has wrong are not compared.
 */
export function disagreements(
  message: IsoMessage,
  dissected: DissectedMessage,
  profile: Profile,
): number[] {
  const fields = new Set([...Object.keys(message.fields), ...Object.keys(dissected.fields)])
  const differing = [...fields].map(Number).filter((field) => {
    const expected = message.fields[field]
    const found = dissected.fields[field]
    if (expected === undefined || found === undefined) return true
    return !isMisread(field, profile) && normal(field, found, profile) !== expected
  })
  const sameType = message.mti === dissected.mti && !dissected.malformed
  return sameType ? differing : [0, ...differing]
}

/** True for a message that the dissector of tshark 4.0 cannot follow to its end. */
export function cannotBeDissected({ mti, fields }: IsoMessage, profile: Profile): boolean {
  // It takes a message of version 1993 for one of another field table.
  if (mti.startsWith('1')) return true
  // Its table has 8 digits for DE 53 and 15 for DE 86 to 89, where 1987 has 16 digits. It would
  // read all later fields at a wrong place. DE 92 and 93 must be digits for it.
  if ([53, 86, 87, 88, 89, 92, 93].some((field) => fields[field] !== undefined)) return true
  // With BCD digits it misses a DE 123 of one character at the end of a message.
  return profile.digits === 'bcd' && fields[123]?.length === 1
}

function isMisread(field: number, profile: Profile): boolean {
  // With BCD digits it reads the letter of an x+n field as if it were two digits.
  return profile.digits === 'bcd' && profile.fields[field]?.kind === 'x+n'
}

function normal(field: number, found: string, profile: Profile): string {
  // It prints a stray character behind the digits of a raw binary field.
  const isRaw = profile.binary === 'raw' && profile.fields[field]?.kind === 'b'
  return isRaw ? found.slice(0, 16) : found
}

function runTshark(capture: Buffer, profile: Profile): Packet[] {
  const directory = mkdtempSync(join(tmpdir(), 'iso8583-'))
  try {
    const file = join(directory, 'messages.pcap')
    writeFileSync(file, capture)
    const { status, stdout, stderr } = spawnSync('tshark', argumentsFor(file, profile), {
      maxBuffer: 2 ** 30,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`tshark ended with ${status}: ${stderr}`)
    return JSON.parse(stdout) as Packet[]
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function argumentsFor(file: string, profile: Profile): string[] {
  const preferences = [
    'iso8583.len_endian:bigendian',
    `iso8583.charset:${profile.digits}`,
    `iso8583.binencode:${profile.bitmap === 'hex' ? 'ascii' : 'bin'}`,
  ]
  return [
    '-r',
    file,
    '-d',
    `tcp.port==${DISSECTED_PORT},iso8583`,
    ...preferences.flatMap((preference) => ['-o', preference]),
    '-T',
    'json',
    '-J',
    'iso8583',
    '--no-duplicate-keys',
  ]
}

type Layer = Readonly<Record<string, string>>
type Packet = { _source: { layers: Readonly<Record<string, Layer | Layer[]>> } }

function messagesOf({ _source: { layers } }: Packet): DissectedMessage[] {
  const found = layers['iso8583']
  if (found === undefined) return []
  const malformed = Object.keys(layers).some((name) => name.startsWith('_ws.malformed'))
  return (Array.isArray(found) ? found : [found]).map((layer) => ({
    mti: layer['iso8583.mti'] ?? '',
    fields: fieldsOf(layer),
    malformed,
  }))
}

function fieldsOf(layer: Layer): Record<number, string> {
  const fields: Record<number, string> = {}
  for (const [name, value] of Object.entries(layer)) {
    const field = /^iso8583\.bit([0-9]+)$/.exec(name)?.[1]
    if (field !== undefined) fields[Number(field)] = value
  }
  return fields
}
