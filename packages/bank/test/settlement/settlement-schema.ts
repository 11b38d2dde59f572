import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { readFileSync } from 'node:fs'

const SCHEMA = new URL('../../../../docs/schemas/tollgate-settlement-v1.json', import.meta.url)

const ajv = new Ajv({ allErrors: true, strictTypes: false, strictTuples: true })
addFormats.default(ajv)
const isValid = ajv.compile(JSON.parse(readFileSync(SCHEMA, 'utf8')) as object)

/** The breaches of the published schema in a file, by line. */
export function schemaFaults(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line, at) => {
      if (isValid(JSON.parse(line))) return []
      const faults = (isValid.errors ?? []).map((each) => `${each.instancePath} ${each.message}`)
      return [`line ${at + 1}: ${faults.join(', ')}`]
    })
}
