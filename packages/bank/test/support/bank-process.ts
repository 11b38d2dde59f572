import { HOUSE_PROFILE, compileProfile, createLinkClient } from '@tollgate/iso8583'
import type { LinkClient } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { builtProgram } from '../../../tollgate/test/built-program.ts'

const MAIN = builtProgram(new URL('../../src/main.ts', import.meta.url))

export interface BankProcess {
  readonly child: ChildProcess
  /** Its output so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** The exit code, once it has ended; null after a signal. */
  readonly ended: Promise<number | null>
}

/** A bank in a process of its own, which is killed when the test ends. */
export function spawnBank(
  t: TestContext,
  environment: Readonly<Record<string, string>>,
): BankProcess {
  const child = spawn(process.execPath, ['--conditions=tollgate-source', MAIN], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { stderr: errors, stdout: output } = child
  assert.ok(output !== null && errors !== null)
  let [stdout, stderr] = ['', '']
  output.on('data', (chunk) => (stdout += String(chunk)))
  errors.on('data', (chunk) => (stderr += String(chunk)))
  // Not its `close`: that never comes once the parent has disconnected by itself.
  const parts = [once(child, 'exit'), once(output, 'end'), once(errors, 'end')] as const
  const ended = Promise.all(parts).then(([[code]]) => code as number | null)
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, stdout: () => stdout, stderr: () => stderr, ended }
}

/** The port of a bank, once it says that it is ready. Rejects when it ends before. */
export async function portOf({ child, ended, stderr }: BankProcess): Promise<number> {
  const failed = ended.then((code) => {
    throw new Error(`The bank ended with ${code}: ${stderr()}`)
  })
  const [message] = (await Promise.race([once(child, 'message'), failed])) as [unknown]
  failed.catch(() => {})
  return (message as { kind: 'ready'; port: number }).port
}

/** A link to a bank that is signed on, and stopped when the test ends. */
export async function linkTo(t: TestContext, port: number): Promise<LinkClient> {
  const link = createLinkClient({
    host: '127.0.0.1',
    port,
    codec: compileProfile(HOUSE_PROFILE),
    acquirerId: '400001',
    onUnmatched: () => {},
    timing: { stopTimeoutMs: 100 },
  })
  link.start()
  t.after(() => link.stop())
  await link.whenUp()
  return link
}
