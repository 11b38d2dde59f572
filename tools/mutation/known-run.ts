import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KNOWN_MUTANTS, type KnownMutant } from './known-mutants.ts'
import { ROOT } from './scope.ts'

/** Whether the tests noticed, and what to say if not. */
type Verdict = 'noticed' | 'not loaded' | 'survives' | 'fails anyway'

/**
 * Puts each described mistake into the code, and runs the test file that has to notice it. The
 * files stay as they are: the change is made while they are loaded.
 * @param parts of names; empty for all
 * @returns the exit code: 0 if all are noticed
 */
export async function runKnown(
  parts: readonly string[],
  tell: (line: string) => void,
): Promise<number> {
  const chosen = KNOWN_MUTANTS.filter(
    ({ name }) => parts.length === 0 || parts.some((each) => name.includes(each)),
  )
  if (chosen.length === 0) throw new Error(`No known mutant's name holds ${parts.join(' or ')}.`)
  let unnoticed = 0
  const sound = new Map<string, boolean>()
  for (const mutant of chosen) {
    const { test } = mutant
    const isSound = sound.get(test) ?? (await runTest(mutant, {})) === 0
    sound.set(test, isSound)
    const verdict = isSound ? await tryKnown(mutant) : 'fails anyway'
    if (verdict !== 'noticed') unnoticed += 1
    tell(`${verdict.padEnd(12)} ${mutant.name} (${mutant.test})`)
  }
  tell(`${chosen.length - unnoticed} of ${chosen.length} known mutants are noticed.`)
  return unnoticed === 0 ? 0 : 1
}

/** The text of a source with a described mistake. @throws Error unless its code is there once */
export function withMistake({ name, file, search, replace }: KnownMutant, text: string): string {
  const found = text.split(search).length - 1
  if (found === 1) return text.replace(search, () => replace)
  throw new Error(`The code of the known mutant "${name}" is in ${file} ${found} times, not once.`)
}

async function tryKnown(mutant: KnownMutant): Promise<Verdict> {
  withMistake(mutant, readFileSync(join(ROOT, mutant.file), 'utf8'))
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-mutant-'))
  const loaded = join(folder, 'loaded')
  try {
    const code = await runTest(mutant, {
      TOLLGATE_MUTANT: mutant.name,
      TOLLGATE_MUTANT_LOADED: loaded,
    })
    if (!existsSync(loaded)) return 'not loaded'
    return code === 0 ? 'survives' : 'noticed'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The exit code of the test, with the mistake that the environment names. */
async function runTest(
  { test, testName }: KnownMutant,
  mistake: Readonly<Record<string, string>>,
): Promise<number> {
  const hook = join(ROOT, 'tools/mutation/mistake-at-load.ts')
  const names = testName === undefined ? [] : [`--test-name-pattern=${testName}`]
  const options = ['--conditions=tollgate-source', '--import', hook, '--test', ...names]
  const child = spawn(process.execPath, [...options, test], {
    cwd: ROOT,
    env: { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning', ...mistake },
    stdio: 'ignore',
  })
  return await new Promise((done) => child.once('close', (exit) => done(exit ?? 1)))
}
