import { Button, Group } from '@mantine/core'
import { IconDownload, IconPrinter } from '@tabler/icons-react'
import classes from './print.module.css'

/** The buttons that take a page away: on paper, and as a CSV file where `csv` is its address. */
export function PageFiles({ csv = null }: { readonly csv?: string | null }) {
  return (
    <Group gap="xs" className={classes.unprinted}>
      <Button
        variant="default"
        leftSection={<IconPrinter size={16} aria-hidden />}
        onClick={() => window.print()}
      >
        Print
      </Button>
      {csv !== null && (
        <Button
          component="a"
          href={csv}
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          CSV
        </Button>
      )}
    </Group>
  )
}
