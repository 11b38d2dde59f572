import { Link } from '@tanstack/react-router'
import { Page } from '../parts/page.tsx'

export function NotFound() {
  return (
    <Page title="Page not found" text="Check the address. The link may be out of date.">
      <Link className="link" to="/">
        Home
      </Link>
    </Page>
  )
}
