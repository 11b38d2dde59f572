import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CHILD_ENVIRONMENT } from '../../packages/tollgate/test/child-environment.ts'

const EXAMPLES = new URL('../../examples/', import.meta.url)

/** A shop of the folder examples, in a process of its own. */
export interface SampleShop {
  /** At `localhost`, while the gateway is at 127.0.0.1: another site for a browser. */
  readonly url: string
  /** stdout and stderr so far. */
  output(): string
  stop(): Promise<void>
}

/**
 * Starts the shop and resolves when it is open. `settings` are environment variables of its own.
 */
export async function startSampleShop(
  gateway: string,
  settings: Readonly<Record<string, string>> = {},
  folder: 'hosted-fields' | 'three-ds-shop' = 'hosted-fields',
): Promise<SampleShop> {
  const server = fileURLToPath(new URL(`${folder}/server.mjs`, EXAMPLES))
  const child = spawn(process.execPath, ['--conditions=tollgate-source', server], {
    env: { ...CHILD_ENVIRONMENT, GATEWAY: gateway, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString()
      const [found] = /http:\/\/[a-z.]+:\d+/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => reject(new Error(`The sample shop ended before it was open: ${said}`)))
  })
  return {
    url,
    output: () => said,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
