import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { readFileSync } from 'node:fs'

const SCHEMA = new URL('../../../../docs/schemas/tollgate-disputes-v1.json', import.meta.url)

const ajv = new Ajv({ allErrors: true, strictTypes: false, strictTuples: true })
addFormats.default(ajv)
const isValid = ajv.compile(JSON.parse(readFileSync(SCHEMA, 'utf8')) as object)

/** The breaches of the published schema in records, by their number. */
export function schemaFaults(records: readonly unknown[]): string[] {
  return records.flatMap((record, at) => {
    if (isValid(record)) return []
    const faults = (isValid.errors ?? []).map((each) => `${each.instancePath} ${each.message}`)
    return [`record ${at + 1}: ${faults.join(', ')}`]
  })
}
