import { parseArgs } from 'node:util'
import {
  matchWords,
  nearestName,
  optionsOf,
  wordsOf,
  type FormText,
  type Option,
} from './command-forms.ts'
import type { Terminal } from './terminal.ts'

/** The typed arguments, by the names of the form. */
export interface TypedArguments {
  /** The word of this key; '' for one that was left out. */
  readonly word: (key: string) => string
  /** The words of a repeated one. */
  readonly words: (key: string) => readonly string[]
  readonly option: (name: string) => string | undefined
  readonly options: (name: string) => readonly string[]
  readonly has: (name: string) => boolean
}

/** One way to call a command. */
export interface Form<Context> extends FormText {
  /** One line. */
  readonly help: string
  /** Gives the exit code. May throw WrongUsage. */
  readonly run: (given: TypedArguments, context: Context) => Promise<number> | number
}

/** A command with all that its usage, its help and the reading of its arguments are made from. */
export interface Command<Context> {
  readonly name: string
  /** One line, for `tollgate help`. */
  readonly summary: string
  readonly forms: readonly Form<Context>[]
  /** Further text at the end of the usage. */
  readonly notes?: string
  /** Printed instead of the usage for wrong arguments. */
  readonly refusal?: string
  /** The exit code for wrong arguments; 1 by default. */
  readonly failure?: number
}

/** Invalid arguments. The message may be empty. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage'
}

/**
 * Matches the arguments with the command's forms and runs the matching one; returns the exit code.
 * Without a match, it passes the usage to `complain`. `--help` prints the description of each form.
 */
export async function runCommand<Context extends Terminal>(
  command: Command<Context>,
  args: readonly string[],
  context: Context,
): Promise<number> {
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    for (const line of helpOf(command)) context.print(line)
    return 0
  }
  try {
    const { form, given } = readArguments(command, args)
    return await form.run(given, context)
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error
    const faults = error.message === '' ? [] : [error.message]
    context.complain(command.refusal ?? [...usageOf(command), ...faults].join('\n'))
    return command.failure ?? 1
  }
}

/** The lines of a command's usage: one for each form. */
export function usageOf<Context>({ name, forms, notes }: Command<Context>): string[] {
  const lines = forms.map(
    (form, at) =>
      `${at === 0 ? 'Usage:' : '      '} ${['tollgate', ...callOf(name, form)].join(' ')}`,
  )
  return notes === undefined ? lines : [...lines, notes]
}

/** The lines of `tollgate COMMAND --help`. */
export function helpOf<Context>(command: Command<Context>): string[] {
  const { name, summary, forms, notes } = command
  return [
    `tollgate ${name}: ${summary}`,
    '',
    ...forms.flatMap((form) => [
      `  ${['tollgate', ...callOf(name, form)].join(' ')}`,
      `      ${form.help}`,
    ]),
    ...(notes === undefined ? [] : ['', notes]),
  ]
}

function callOf(name: string, { words, options = [] }: FormText): string[] {
  return [name, words, ...options].filter((part) => part !== '')
}

function readArguments<Context>(
  { forms }: Command<Context>,
  args: readonly string[],
): { readonly form: Form<Context>; readonly given: TypedArguments } {
  const { words, values } = readTokens(forms.flatMap(optionsOf), args)
  let fault: string | null = null
  for (const form of forms) {
    const matched = matchWords(wordsOf(form), words)
    if (matched === null) continue
    const wrong = optionFault(optionsOf(form), values)
    if (wrong === null) return { form, given: typedArguments(matched, values) }
    fault ??= wrong
  }
  throw new WrongUsage(fault ?? wordFault(forms, words))
}

type Values = ReadonlyMap<string, readonly string[]>

/** Words and options as they were typed; WrongUsage for an option that no form has. */
function readTokens(
  known: readonly Option[],
  args: readonly string[],
): { readonly words: readonly string[]; readonly values: Values } {
  const types = known.map(({ name, value }) => [
    name,
    { type: value === null ? ('boolean' as const) : ('string' as const) },
  ])
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const words: string[] = []
  const values = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const option = known.find(({ name }) => name === token.name)
    if (option === undefined) throw new WrongUsage(unknownOption(token.rawName, known))
    if (option.value !== null && token.value === undefined) {
      throw new WrongUsage(`--${option.name} needs a value: ${option.value}.`)
    }
    if (option.value === null && token.value !== undefined) {
      throw new WrongUsage(`--${option.name} takes no value.`)
    }
    values.set(option.name, [...(values.get(option.name) ?? []), token.value ?? ''])
  }
  return { words, values }
}

function unknownOption(typed: string, known: readonly Option[]): string {
  const nearest = nearestName(
    typed,
    known.map(({ name }) => `--${name}`),
  )
  return `Unknown option ${typed}.${nearest === null ? '' : ` Did you mean ${nearest}?`}`
}

/** The first invalid option of this form; null for none. */
function optionFault(options: readonly Option[], values: Values): string | null {
  for (const name of values.keys()) {
    if (!options.some((option) => option.name === name)) return `--${name} is not valid here.`
  }
  for (const { name, choices, isRequired, isRepeated } of options) {
    const given = values.get(name) ?? []
    if (isRequired && given.length === 0) return `--${name} is missing.`
    if (!isRepeated && given.length > 1) return `--${name} may be given only once.`
    const wrong = given.find((value) => choices !== null && !choices.includes(value))
    if (wrong !== undefined) return `--${name} is "${wrong}"; expected ${choices?.join(' or ')}.`
  }
  return null
}

/** The first word, where it is almost one with which a form begins; '' for any other. */
function wordFault(forms: readonly FormText[], [typed = '']: readonly string[]): string {
  const first = forms.flatMap((form) => wordsOf(form)[0]?.key.split('|') ?? [])
  const nearest = first.includes(typed) ? null : nearestName(typed, first)
  return nearest === null ? '' : `Unknown word "${typed}". Did you mean "${nearest}"?`
}

function typedArguments(words: Values, values: Values): TypedArguments {
  return {
    word: (key) => words.get(key)?.[0] ?? '',
    words: (key) => words.get(key) ?? [],
    option: (name) => values.get(name)?.[0],
    options: (name) => values.get(name) ?? [],
    has: (name) => values.has(name),
  }
}
