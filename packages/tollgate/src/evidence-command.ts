import { BooksUnavailableError } from '@tollgate/gateway/books'
import { maskEvidence, recordEvidence } from '@tollgate/gateway/operator-evidence'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BooksContext } from './books-command.ts'
import { WrongUsage, type Command } from './command.ts'
import {
  EVIDENCE_PARTS,
  EVIDENCE_PART_NAMES,
  isEvidencePart,
  type EvidencePartName,
  type EvidenceSource,
} from './evidence/evidence-parts.ts'
import type { OperatorContext } from './operator-work.ts'
import { runningDatabase } from './running-database.ts'
import { StartupError } from './startup-error.ts'

type Context = OperatorContext & BooksContext

/** Evidence for an assessor. docs/operators/evidence.md */
export const evidence: Command<Context> = {
  name: 'evidence',
  summary: 'evidence [list|show <part>] writes a dated file with the evidence for an assessor',
  forms: [
    {
      words: '',
      options: ['[--to <FILE>]'],
      help: 'writes all parts into a new file, and its SHA-256 into the audit log',
      run: ({ option }, context) => orSentence(context, () => writeBundle(option('to'), context)),
    },
    {
      words: 'list',
      help: 'lists the parts',
      run(_, { print }) {
        for (const name of EVIDENCE_PART_NAMES) print(`${name}: ${EVIDENCE_PARTS[name].title}`)
        return 0
      },
    },
    {
      words: 'show <part>',
      help: 'prints one part as JSON, and writes no file',
      run: ({ word }, context) =>
        orSentence(context, async () => {
          const part = word('part')
          if (!isEvidencePart(part)) {
            throw new WrongUsage(
              `There is no such part. There are: ${EVIDENCE_PART_NAMES.join(', ')}.`,
            )
          }
          context.print(asJson(await EVIDENCE_PARTS[part].read(sourceOf(context))))
          return 0
        }),
    },
  ],
}

function sourceOf({ env, readConfig }: Context): EvidenceSource {
  const config = readConfig()
  const databaseUrl = runningDatabase(config)
  if (databaseUrl === null) {
    throw new StartupError(
      `The embedded database of ${config.dataDir} is not running. Start Tollgate first, or set ` +
        'DATA_DIR to the folder of the running one.',
    )
  }
  return { config, databaseUrl, env }
}

/** The content of a bundle, with the time at which its first part was read. */
export async function readBundle(
  source: EvidenceSource,
  onPart: (name: EvidencePartName) => void,
): Promise<string> {
  const parts: Record<string, unknown> = { madeAt: new Date() }
  for (const name of EVIDENCE_PART_NAMES) {
    onPart(name)
    parts[name] = await EVIDENCE_PARTS[name].read(source)
  }
  return `${asJson(parts)}\n`
}

async function writeBundle(to: string | undefined, context: Context): Promise<number> {
  const { print, complain } = context
  const source = sourceOf(context)
  const text = await readBundle(source, (name) => complain(`reading: ${name}`))
  const path = resolve(to ?? `tollgate-evidence-${stampOf(new Date())}.json`)
  try {
    // A file that is there may be evidence of another day.
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupError(
      `The file ${path} cannot be written (${code}). Name one that is not there with --to.`,
    )
  }
  const sha256 = createHash('sha256').update(text).digest('hex')
  await recordEvidence(source.databaseUrl, { sha256, parts: EVIDENCE_PART_NAMES.length })
  print(`${path} has ${EVIDENCE_PART_NAMES.length} parts.`)
  print(`SHA-256 ${sha256}, which the audit log has as evidence.written.`)
  return 0
}

/** `2026-11-28T101500Z`: a time that every file system takes in a name. */
function stampOf(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(':', '')}Z`
}

function asJson(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each),
    2,
  )
  return maskEvidence(text)
}

async function orSentence({ complain }: Context, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof BooksUnavailableError)) throw error
    complain(error.message)
    return 1
  }
}
