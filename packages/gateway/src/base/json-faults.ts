import { refused, type Result } from './refusal.ts'

/** As much of a zod schema as is needed here. */
interface JsonSchema<T> {
  safeParse(
    input: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly JsonIssue[] } }
}

interface JsonIssue {
  readonly code: string
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** Of the code `unrecognized_keys`. */
  readonly keys?: readonly string[]
}

/**
 * Checks a file's text against a schema whose error texts finish the sentence "it must be ...".
 * Reports all errors at once.
 */
export function readJson<T>(text: string, schema: JsonSchema<T>): Result<{ readonly value: T }> {
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch (error) {
    return refused('invalid', `The file is not JSON: ${(error as Error).message}.`)
  }
  const parsed = schema.safeParse(input)
  if (parsed.success) return { ok: true, value: parsed.data }
  return refused(
    'invalid',
    parsed.error.issues.flatMap((issue) => faultsOf(issue, input)),
  )
}

function faultsOf(issue: JsonIssue, input: unknown): string[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return (issue.keys ?? []).map(
      (key) => `There is no setting ${[...path, key].join('.')}; take it out.`,
    )
  }
  const found = path.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | null | undefined)?.[key],
    input,
  )
  const name = path.join('.') || 'The file'
  const was = found === undefined ? 'is missing' : `is ${JSON.stringify(found).slice(0, 80)}`
  return [`${name} ${was}; it must be ${issue.message}.`]
}
