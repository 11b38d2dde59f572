import { Link } from '@tanstack/react-router'
import { Page } from '../parts/page.tsx'

export function NotFound() {
  return (
    <Page
      title="There is nothing at this address"
      text="It may have been mistyped, or the link is an old one."
    >
      <Link className="link" to="/">
        Home
      </Link>
    </Page>
  )
}
