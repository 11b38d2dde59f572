import { dirname, join } from 'node:path/posix'
import { importsOf } from './source-text.ts'

/** Packages of this repository that a package may import. A package that is not here is new. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  iso8583: [],
  client: [],
  bank: ['iso8583'],
  gateway: ['iso8583'],
  tollgate: ['bank', 'gateway'],
  portal: ['gateway'],
}

/** Folders of the gateway, and the other folders that each may import. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  domain: ['base'],
  usecases: ['domain', 'base'],
  adapters: ['usecases', 'domain', 'base'],
  http: ['usecases', 'domain', 'base'],
  jobs: ['usecases', 'domain', 'base'],
}

/** Rooms that touch the world. The others are handed what they need, so no package enters them. */
const WORLDLY = new Set(['adapters', 'http', 'jobs'])
const BUILTINS_EVERYWHERE = new Set(['node:util'])

/** Files beside the rooms: they wire everything, and no room may import them. */
const WIRING =
  /^(main|index|books|(gateway|operator|prepare|config)(-[a-z]+)*|demo-merchants|migrations-folder|broken-rules|portal-api(-[a-z]+)*)\.ts$/

const GATEWAY = 'packages/gateway/src/'

/** What is wrong with the imports of one file, a sentence each. */
export function importBreaches(path: string, text: string): string[] {
  return importsOf(text).flatMap((target) => {
    const why = packageBreach(path, target) ?? roomBreach(path, target)
    return why === null ? [] : [`${path} imports ${target}: ${why}`]
  })
}

/** What is wrong with where a file is. */
export function placeBreach(path: string): string | null {
  if (!path.startsWith(GATEWAY)) return null
  const [kind = '', ...rest] = path.slice(GATEWAY.length).split('/')
  if (rest.length === 0) {
    return WIRING.test(kind) ? null : `${path} is in no room and no wiring file.`
  }
  return kind in ROOMS ? null : `${path} is in a room that nobody has described.`
}

function packageBreach(path: string, target: string): string | null {
  const [, own = ''] = path.split('/')
  const allowed = PACKAGES[own]
  if (allowed === undefined) return `nobody has described what the package ${own} may import.`
  if (target.startsWith('.')) {
    const inside = join(dirname(path), target).startsWith(`packages/${own}/src/`)
    return inside ? null : `it leaves the sources of the package ${own}.`
  }
  const [, scoped] = /^@tollgate\/([^/]+)/.exec(target) ?? []
  if (scoped === undefined || allowed.includes(scoped)) return null
  return `the package ${own} may not import the package ${scoped}.`
}

function roomBreach(path: string, target: string): string | null {
  if (!path.startsWith(GATEWAY)) return null
  const room = roomOf(path)
  const allowed = ROOMS[room.kind]
  if (allowed === undefined) return null
  if (!target.startsWith('.')) {
    if (WORLDLY.has(room.kind) || BUILTINS_EVERYWHERE.has(target)) return null
    return `no package may enter ${room.name}.`
  }
  const targetRoom = roomOf(join(dirname(path), target))
  if (targetRoom.name === room.name || allowed.includes(targetRoom.kind)) return null
  return `${room.name} may not import ${targetRoom.name}.`
}

/** Each adapter is a room of its own, so that none leans on another. */
function roomOf(path: string): { readonly kind: string; readonly name: string } {
  const [kind = '', inner = '', ...rest] = path.slice(GATEWAY.length).split('/')
  if (inner === '') return { kind: 'wiring', name: 'the wiring' }
  return { kind, name: kind === 'adapters' && rest.length > 0 ? `adapters/${inner}` : kind }
}
