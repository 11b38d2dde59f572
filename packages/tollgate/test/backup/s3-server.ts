import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { watch } from '../program.ts'

/** Debian's, for which the package python3-swift is. */
const PYTHON = '/usr/bin/python3'
const PROGRAM = fileURLToPath(new URL('s3-server.py', import.meta.url))

/** False where OpenStack Swift is installed; else the reason for the skipped test. */
export function lacksSwift(): false | string {
  const tried = spawnSync(PYTHON, ['-c', 'import swift.common.middleware.s3api'])
  return tried.status === 0 ? false : 'needs OpenStack Swift (Debian: python3-swift)'
}

/** The login of the server. */
export const S3_LOGIN = { accessKeyId: 'test:tester', secretAccessKey: 'testing' } as const

/** A real server that speaks S3, with nothing in it. */
export interface S3Server {
  readonly endpoint: string
  stop(): Promise<void>
}

/** Starts Swift with its S3 interface on a new folder. */
export async function startS3Server(folder: string): Promise<S3Server> {
  mkdirSync(folder)
  const child = spawn(PYTHON, [PROGRAM, folder], { stdio: ['pipe', 'pipe', 'pipe'] })
  const program = watch(child, '')
  const [, port] = await program.line(/^ready (\d+)$/m)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL')
      await program.end()
    },
  }
}
