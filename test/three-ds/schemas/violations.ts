import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { METHOD_DATA, VERSIONS, schemasOf } from './messages.ts'

const ajv = new Ajv({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
  coerceTypes: false,
})
addFormats.default(ajv)

const compiled = new Map<string, ValidateFunction>()
for (const isMasked of [false, true]) {
  for (const version of VERSIONS) {
    for (const [type, schema] of Object.entries(schemasOf(version, isMasked))) {
      compiled.set(`${type} ${version} ${isMasked}`, ajv.compile(schema))
    }
  }
}
const methodData = ajv.compile(METHOD_DATA)

/** The violations of the schemas in a message, a sentence each; of the journal where `isMasked`. */
export function violationsOf(message: unknown, isMasked: boolean): string[] {
  const { messageType, messageVersion } = Object(message) as Record<string, unknown>
  const name = `${String(messageType)} ${String(messageVersion)}`
  const validate = compiled.get(`${name} ${isMasked}`)
  if (validate === undefined) return [`There is no message ${name}.`]
  return judge(validate, message, name)
}

export function methodDataViolations(data: unknown): string[] {
  return judge(methodData, data, 'threeDSMethodData')
}

function judge(validate: ValidateFunction, message: unknown, name: string): string[] {
  if (validate(message)) return emptiesIn(message, name)
  return [
    ...(validate.errors ?? []).map((error) => sentence(name, error)),
    ...emptiesIn(message, name),
  ]
}

/**
 * No element may be null or empty, even where the schemas allow it: an absent value is left out.
 */
function emptiesIn(value: unknown, name: string): string[] {
  if (value === null || value === '') return [`${name} is ${JSON.stringify(value)}.`]
  if (typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => emptiesIn(inner, `${name}/${key}`))
}

function sentence(name: string, { instancePath, message, params }: ErrorObject): string {
  return `${name}${instancePath} ${message ?? ''} ${JSON.stringify(params)}`
}
