import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { openersOfDialog, returnFocus } from './focus-return.ts'

/**
 * A dialog above the page. When it closes, the focus returns to where the user was before. The
 * library does that only for dialogs that are on the page before they open.
 */
export function Dialog(props: ModalProps) {
  return (
    <>
      {props.opened && <FocusReturn />}
      <Modal {...props} returnFocus={false} />
    </>
  )
}

/** Is on the page as long as its dialog is open. */
function FocusReturn() {
  // Read before anything in the dialog takes the focus.
  const [openers] = useState(openersOfDialog)
  useEffect(() => () => returnFocus(openers), [openers])
  return null
}
