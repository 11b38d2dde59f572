import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { watch, type Program } from '../../packages/tollgate/test/program.ts'

/** A balancer that operators use, with the file of settings that `examples/several-nodes` has. */
export interface BalancerKind {
  readonly name: 'haproxy' | 'nginx'
  readonly file: string
  /** The words that make the file unsafe: a payment is repeated whose node broke off. */
  readonly unsafe: readonly [string, string]
}

export const BALANCERS: readonly BalancerKind[] = [
  {
    name: 'haproxy',
    file: 'haproxy.cfg',
    unsafe: ['retry-on conn-failure 503', 'retry-on all-retryable-errors'],
  },
  {
    name: 'nginx',
    file: 'nginx.conf',
    unsafe: [
      'proxy_next_upstream error timeout;',
      'proxy_next_upstream error timeout non_idempotent;',
    ],
  },
]

/** Null when the balancer can be run; else the reason, for a test to skip itself with. */
export function whyNoBalancer({ name }: BalancerKind): string | null {
  const { status } = spawnSync(name, ['-v'])
  return status === 0 ? null : `${name} is not installed: install the package ${name}`
}

export interface BalancerPlace {
  readonly folder: string
  readonly port: number
  /** The ports of the three nodes. */
  readonly nodePorts: readonly number[]
  /** PEM files: of the balancer's own address, and of the nodes. */
  readonly certFile: string
  readonly keyFile: string
}

/** Starts a balancer with its example's settings, at ports and files of this place. */
export function startBalancer(
  kind: BalancerKind,
  place: BalancerPlace,
  change: (text: string) => string = (text) => text,
): Program {
  const example = fileURLToPath(
    new URL(`../../examples/several-nodes/${kind.file}`, import.meta.url),
  )
  const file = join(place.folder, kind.file)
  writeFileSync(file, change(moved(readFileSync(example, 'utf8'), place)))
  // Both files of a pair in one, which HAProxy reads.
  writeFileSync(
    join(place.folder, 'pair.pem'),
    [place.certFile, place.keyFile].map((pem) => readFileSync(pem, 'utf8')).join('\n'),
    { mode: 0o600 },
  )
  const args =
    kind.name === 'haproxy'
      ? ['-db', '-f', file]
      : ['-p', place.folder, '-c', file, '-g', `daemon off; pid ${place.folder}/nginx.pid;`]
  const child = spawn(kind.name, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  return watch(child, kind.name)
}

function moved(text: string, place: BalancerPlace): string {
  const { folder, port, nodePorts, certFile, keyFile } = place
  const nodes = nodePorts.reduce(
    (all, nodePort, at) =>
      all
        .replaceAll(`10.0.0.1${at + 1}:8443`, `127.0.0.1:${nodePort}`)
        .replaceAll(`10\\.0\\.0\\.1${at + 1}:8443`, `127\\.0\\.0\\.1:${nodePort}`),
    text,
  )
  return nodes
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll('/etc/haproxy/pay.example.com.pem', join(folder, 'pair.pem'))
    .replaceAll(/\/etc\/(?:haproxy|nginx)\/tollgate-nodes\.pem/g, certFile)
    .replaceAll('/etc/nginx/pay.example.com.crt', certFile)
    .replaceAll('/etc/nginx/pay.example.com.key', keyFile)
    .replaceAll('/var/log/nginx', folder)
    .replaceAll('pay.example.com', 'localhost')
}
