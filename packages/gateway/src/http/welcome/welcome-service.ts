import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import { PRODUCTION_PAGE, sandboxPage, WELCOME_STYLE, type SandboxFacts } from './welcome-page.ts'

export interface WelcomeDeps {
  /** Null in production, whose page shows the name only. */
  readonly sandbox: SandboxFacts | null
}

const ICON = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
  '<rect width="32" height="32" rx="7" fill="#0b7285"/>',
  '<path d="M6 11h20v3.4H6zM8.5 16h3.2v9H8.5zM20.3 16h3.2v9h-3.2z" fill="#fff"/></svg>',
].join('')
const STYLE_DIGEST = createHash('sha256').update(WELCOME_STYLE).digest('base64')
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    `default-src 'none'; img-src 'self'; style-src 'sha256-${STYLE_DIGEST}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
}

/** The page at `/`, and the icon that browsers ask every origin for. */
export function welcomeService(app: FastifyInstance, { sandbox }: WelcomeDeps): void {
  const page = sandbox === null ? PRODUCTION_PAGE : sandboxPage(sandbox)
  app.get('/', (_request, reply) => {
    void reply.headers(HEADERS).type('text/html; charset=utf-8').send(page)
  })
  for (const path of ['/favicon.svg', '/favicon.ico']) {
    app.get(path, (_request, reply) => {
      void reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(ICON)
    })
  }
}
