import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  convertForeignFile,
  sumForeignFile,
} from '../../../../src/adapters/settlement-files/convert-file.ts'
import { readMappingFile } from '../../../../src/adapters/settlement-files/mapping-file.ts'
import type { FileTarget } from '../../../../src/domain/settlement/canonical-header.ts'
import { FileReader } from '../../../../src/domain/settlement/file-reader.ts'
import { faultText } from '../../../../src/domain/settlement/foreign-row.ts'
import type { Mapping } from '../../../../src/domain/settlement/mapping.ts'

const PAGE = new URL('../../../../../../docs/operators/settlement-mappings.md', import.meta.url)

/** The worked example of the operators' page. */
export function workedExample(): { json: string; csv: string; printed: string } {
  const page = readFileSync(PAGE, 'utf8')
  const block = (language: string): string =>
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? ''
  return { json: block('json'), csv: block('csv'), printed: block('text') }
}

/** A mapping of a few columns, with changes. */
export function smallMapping(changes: object): Mapping {
  const base = {
    mapping: 'small',
    v: 3,
    input: {
      type: 'csv',
      delimiter: ';',
      header: true,
      encoding: 'utf-8',
      bom: 'allow',
      decimal: ',',
    },
    file: {
      account: { as: 'A-1' },
      currency: { is: 'EUR' },
      seq: { given: true },
      opening: 'carry',
    },
    kind: { column: 'kind', map: { S: 'sale', P: 'payout', F: 'fee' }, else: 'refuse' },
    id: { column: 'id' },
    date: { column: 'day', format: 'dd.MM.yyyy', zone: 'Europe/Berlin' },
    net: { column: 'net', sign: 'signed' },
    order: 'order',
  }
  const read = readMappingFile(JSON.stringify({ ...base, ...changes }))
  assert.ok(read.ok, read.ok ? '' : read.faults.join('\n'))
  return read.mapping
}

const folder = mkdtempSync(join(tmpdir(), 'tollgate-mapping-'))
process.once('exit', () => rmSync(folder, { recursive: true }))
let files = 0

/** Writes the content into a file of its own and returns the path. */
export function fileOf(content: string | Buffer): string {
  files += 1
  const path = join(folder, `${files}.txt`)
  writeFileSync(path, content)
  return path
}

export const TARGET: FileTarget = {
  mode: 'test',
  sender: 'bank-demo',
  receiver: 'gw-01',
  seq: 7n,
  prevSha256: '0'.repeat(64),
  openingMinor: 0n,
}

/** The faults of a file by a mapping, as sentences. */
export async function faultsOf(content: string | Buffer, mapping: Mapping): Promise<string[]> {
  const { summary } = await sumForeignFile(fileOf(content), mapping, TARGET.seq)
  return summary.faults.map(faultText)
}

/** The file as canonical text, read back by the reader of the import. */
export async function converted(content: string | Buffer, mapping: Mapping) {
  const path = fileOf(content)
  const summed = await sumForeignFile(path, mapping, TARGET.seq)
  assert.deepEqual(summed.summary.faults.map(faultText), [])
  const hash = createHash('sha256')
  const reader = new FileReader({
    update: (bytes) => void hash.update(bytes),
    hex: () => hash.digest('hex'),
  })
  let text = ''
  const lines = []
  for await (const part of convertForeignFile(path, mapping, summed, TARGET)) {
    text += part
    lines.push(...reader.push(Buffer.from(part)))
  }
  return { text, lines, ...reader.end() }
}
