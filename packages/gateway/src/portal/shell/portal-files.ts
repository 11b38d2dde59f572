import type { FastifyInstance } from 'fastify'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The build folders of the web applications, seen from the sources and from the build alike. */
export const PORTAL_FOLDER = fileURLToPath(new URL('../../../../portal/dist/web', import.meta.url))
export const CONSOLE_FOLDER = fileURLToPath(
  new URL('../../../../portal/dist/console', import.meta.url),
)

/** The built web application. */
export interface PortalFiles {
  /** The one page, with `%NONCE%` where styles of the page's own making are named. */
  readonly page: string
  /** The files that it loads, by file name; each name identifies the content. */
  readonly assets: ReadonlyMap<string, { readonly type: string; readonly body: Buffer }>
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
}

/** Reads everything at once, so that what is served cannot change while the gateway runs. */
export function readPortalFiles(folder: string): PortalFiles | null {
  if (!existsSync(join(folder, 'index.html'))) return null
  const assets = new Map(
    readdirSync(join(folder, 'assets')).map((name) => [
      name,
      {
        type: TYPES[extname(name)] ?? 'application/octet-stream',
        body: readFileSync(join(folder, 'assets', name)),
      },
    ]),
  )
  return { page: readFileSync(join(folder, 'index.html'), 'utf8'), assets }
}

/**
 * Serves a web application: its one page at every address below `root`, such as `/portal`, and what
 * that loads.
 */
export function portalFiles(app: FastifyInstance, root: string, files: PortalFiles): void {
  for (const [name, { type, body }] of files.assets) {
    app.get(`${root}/assets/${name}`, (_request, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(body),
    )
  }
  // Every other address is a place within the application.
  for (const path of [root, `${root}/`, `${root}/*`]) {
    app.get(path, (_request, reply) => {
      // Components write some of their styles themselves; the nonce distinguishes them from foreign
      // ones.
      const nonce = randomBytes(16).toString('base64')
      return reply
        .type('text/html; charset=utf-8')
        .headers({
          'cache-control': 'no-store',
          'content-security-policy': [
            "default-src 'none'",
            "script-src 'self'",
            `style-src 'self' 'nonce-${nonce}'`,
            "img-src 'self' data:",
            "font-src 'self'",
            "connect-src 'self'",
            // The card fields of the virtual terminal.
            "frame-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
          ].join('; '),
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'referrer-policy': 'no-referrer',
          'x-frame-options': 'DENY',
        })
        .send(files.page.replaceAll('%NONCE%', nonce))
    })
  }
}
