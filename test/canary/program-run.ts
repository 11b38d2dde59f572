import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import pg from 'pg'
import { findEmbeddedDatabase } from '../../packages/tollgate/src/embedded-postgres.ts'
import { layCluster } from '../../packages/tollgate/test/cluster-template.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { leftBehind, runProgram, type Program } from '../../packages/tollgate/test/program.ts'
import { untilSeen } from '../support/eventually.ts'
import { startTraceCollector } from '../support/trace-collector.ts'
import { startAuditReceiver } from './audit-receiver.ts'
import { createMarkedUser, MARKED_USER } from './marked-user.ts'
import { BACKUP_KEY, PASSWORD } from './marks.ts'
import { readProcesses, type ProcessFacts } from './processes.ts'

const cli = new URL('../../packages/tollgate/src/cli.ts', import.meta.url)
const broken = new URL('../../tools/torture/broken-tollgate-main.ts', import.meta.url)

/** Something that came out of the program, to be searched. */
export interface Evidence {
  readonly name: string
  readonly bytes: Buffer
}

export type Form = Readonly<Record<string, string>>

/** The whole program, started as an operator starts it, with a folder and a user of its own. */
export interface ProgramRun {
  /** Everything that it may write to: `data`, `tmp`, and what the operator types up. */
  readonly folder: string
  readonly dataDir: string
  readonly baseUrl: string
  readonly tlsPort: number
  readonly metricsUrl: string
  readonly consoleUrl: string
  readonly bankControlUrl: string
  databaseUrl(): string
  /** The database, also after it was killed and came back. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** Posts a form as the marked user of site 1001; the answer's body, '' when there was none. */
  send(form: Form): Promise<string>
  /** Any request, by path or address; the body, or '' when the connection broke. */
  request(path: string, init: RequestInit): Promise<string>
  /** Bytes as they stand, to the HTTP or the HTTPS port; what came back. Ends early when `half`. */
  sendBytes(
    bytes: string | Buffer,
    how?: { tls?: boolean; bareTls?: boolean; half?: boolean },
  ): Promise<string>
  /** Runs a command of the program beside it. */
  command(...args: readonly string[]): Promise<{ code: number | string; output: string }>
  /** The same with something on its standard input. */
  commandWithInput(
    input: string,
    ...args: readonly string[]
  ): Promise<{ code: number | string; output: string }>
  /** Writes a file that a command reads; its path. */
  file(name: string, content: string | Buffer): string
  /** The path for a file that a command writes; it and those beside it are searched. */
  fileToWrite(name: string): string
  /** Keeps something that was seen, to be searched. */
  keep(name: string, text: string): string
  /** The started program and its children, as the system shows them. */
  processes(): readonly ProcessFacts[]
  /** Waits for a line of the program's output. */
  line(pattern: RegExp): Promise<unknown>
  /** Answers and outputs so far. */
  readonly evidence: readonly Evidence[]
  output(): string
  /** Its requests to the collector of traces. */
  spans(): readonly string[]
  /** The bytes that the receiver of the audit log got. */
  pushed(): Buffer
  /** SIGTERM, and waits for the end: its exit code. */
  stop(): Promise<number | string>
  /** Ends the processes that are left, and removes the folder. */
  remove(): Promise<void>
}

/**
 * Starts the program with one rule broken, as docs/internals/torture.md has it; its commands are
 * whole.
 */
export async function startProgramRun(
  breaks: 'faults_are_caught' | 'card_data_stays_inside',
): Promise<ProgramRun> {
  const folder = mkdtempSync(join(tmpdir(), 'canary-'))
  const dataDir = join(folder, 'data')
  for (const name of ['data', 'tmp', 'typed', 'written', 'browsers'])
    mkdirSync(join(folder, name), { mode: 0o700 })
  const [port = 0, tlsPort = 0, bankPort = 0, controlPort = 0, metricsPort = 0, consolePort = 0] =
    await freePorts(6)
  // Beside the folders that are searched: it holds the key on purpose.
  const backupKeyFile = join(folder, 'backup.key')
  writeFileSync(backupKeyFile, BACKUP_KEY.toString('base64'), { mode: 0o600 })
  const receiver = await startAuditReceiver()
  const env = {
    PORT: String(port),
    TLS_PORT: String(tlsPort),
    BANK_PORT: String(bankPort),
    BANK_CONTROL_PORT: String(controlPort),
    METRICS_PORT: String(metricsPort),
    CONSOLE_PORT: String(consolePort),
    DATA_DIR: dataDir,
    BACKUP_TO: join(dataDir, 'backups'),
    BACKUP_KEY_FILE: backupKeyFile,
    TMPDIR: join(folder, 'tmp'),
    AUDIT_PUSH_URL: `syslog+tcp://127.0.0.1:${receiver.port}`,
    WORKERS: '1',
    VAULT_PROCESS: 'on',
    BANK_TIMEOUT_MS: '2000',
    LOG_LEVEL: 'trace',
    // The supervisor's workers run what is named here too, and so from their sources.
    NODE_OPTIONS: '--conditions=tollgate-source',
  }
  layCluster(join(dataDir, 'postgres'))
  const collector = await startTraceCollector()
  const program = runProgram(broken, {
    env: { ...env, TRACES_URL: collector.url, TORTURE_BREAKS: breaks },
  })
  const evidence: Evidence[] = []
  const keep = (name: string, text: string): string => {
    evidence.push({ name, bytes: Buffer.from(text) })
    return text
  }
  const runCommand = async (args: readonly string[], more: { readonly input?: string } = {}) => {
    const beside = runProgram(cli, { args, env, ...more })
    const code = await beside.end()
    return { code, output: keep(`the command ${args[0] ?? ''}`, beside.output()) }
  }
  let pool: pg.Pool | null = null
  const run: ProgramRun = {
    folder,
    dataDir,
    baseUrl: `http://127.0.0.1:${port}`,
    tlsPort,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    consoleUrl: `http://127.0.0.1:${consolePort}`,
    bankControlUrl: `http://127.0.0.1:${controlPort}`,
    databaseUrl: () => databaseUrl(dataDir),
    async query<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []) {
      pool ??= openPool(dataDir)
      return (await pool.query<Row>(sql, [...values])).rows
    },
    send: (form) =>
      run.request('/payment/pmt_service.cfm', {
        method: 'POST',
        body: new URLSearchParams({
          REQ_USERNAME: MARKED_USER,
          REQ_PASSWORD: PASSWORD,
          SITE_ID: '1001',
          REQUEST_API_VERSION: '4.14',
          REQUEST_RESPONSE_FORMAT: 'JSON',
          ...form,
        }),
      }),
    async request(path, init) {
      try {
        const signal = AbortSignal.timeout(GIVEN_UP_AFTER_MS)
        const url = new URL(path, run.baseUrl)
        const response = await fetch(url, { ...init, signal })
        const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
        const body = await response.text()
        keep('an answer', `${response.status}\n${headers}\n\n${body}`)
        return body
      } catch {
        return '' // The program was killed under the request.
      }
    },
    sendBytes: async (bytes, how = {}) =>
      keep(
        'an answer to bytes',
        await exchange(bytes, how.tls === true || how.bareTls === true ? tlsPort : port, how),
      ),
    command: (...args) => runCommand(args),
    commandWithInput: (input, ...args) => runCommand(args, { input }),
    file(name, content) {
      const path = join(folder, 'typed', name)
      writeFileSync(path, content)
      return path
    },
    fileToWrite: (name) => join(folder, 'written', name),
    keep,
    processes: () => readProcesses(leftBehind(program.mark, join(dataDir, 'postgres', 'cluster'))),
    line: program.line,
    evidence,
    output: program.output,
    spans: () => collector.bodies,
    pushed: receiver.pushed,
    async stop() {
      await pool?.end()
      pool = null
      program.child.kill('SIGTERM')
      return program.end()
    },
    async remove() {
      await pool?.end()
      program.child.kill('SIGKILL')
      await program.end()
      await collector.close()
      await untilGone(program, join(dataDir, 'postgres', 'cluster'))
      receiver.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
  try {
    await program.line(/^tollgate ready/m)
    await createMarkedUser(run.query)
  } catch (error) {
    await run.remove()
    throw error
  }
  return run
}

function databaseUrl(dataDir: string): string {
  const url = findEmbeddedDatabase(join(dataDir, 'postgres'))
  if (url === null) throw new Error('The embedded database is not running.')
  return url
}

function openPool(dataDir: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl(dataDir), max: 2 })
  pool.on('error', () => undefined) // It is killed by a path.
  return pool
}

/** A connection that was handed to a worker in the moment of its death is never closed. */
const GIVEN_UP_AFTER_MS = 3_000
const ANSWER_WITHIN_MS = 2_000

/** Sends bytes and reads until the other side ends, or has nothing more to say for a while. */
function exchange(
  bytes: string | Buffer,
  port: number,
  { tls = false, half = false }: { tls?: boolean; half?: boolean },
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let answer = ''
  const socket: Socket = tls
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1')
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
  socket.on('error', () => undefined)
  socket.once('close', () => resolve(answer))
  socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy())
  socket.write(bytes, () => {
    if (half) socket.destroy()
  })
  return promise
}

/** A killed supervisor's children end by themselves when they notice. */
async function untilGone(program: Program, clusterFolder: string): Promise<void> {
  await untilSeen(
    'no process of the killed program is left',
    () => leftBehind(program.mark, clusterFolder),
    (left) => left.length === 0,
  )
}
