'use strict'

/**
 * Takes the customer back to the shop. In the frame that the issuer had, the page around it does so
 * once: it is the gateway's own. If the issuer broke out of that frame, this page submits its form.
 */

function isInOwnPage() {
  try {
    return parent !== self && parent.location.origin === location.origin
  } catch {
    return false
  }
}

const form = document.getElementById('leave')
if (form instanceof HTMLFormElement) {
  if (form.target === '_parent' && isInOwnPage()) {
    parent.postMessage('tollgate.three-ds.back', location.origin)
  } else {
    form.target = '_self'
    form.submit()
  }
}
