import type { MailTexts } from './texts.ts'

export const mailTexts: MailTexts = {
  hello: 'Hello {userName},',
  copyLink: 'If the button does not work, copy this address into your browser:',
  holds: 'The link works once, within three hours.',
  foot: 'Sent by {platform} on {time} UTC. Nobody reads replies to this address.',
  kinds: {
    Verify: {
      subject: 'Activate your account',
      text: ['An account was registered on {platform} with the address {email}. Confirm the address to activate it.'],
      button: 'Activate account',
      otherwise: 'If it was not you, ignore this mail: without the link the account stays inactive.',
    },
    Reset: {
      subject: 'Set a new password',
      text: ['A new password was asked for your account on {platform}. Choose it on the page behind this link.'],
      button: 'Set a new password',
      otherwise: 'If it was not you, ignore this mail: your password stays as it is.',
    },
    ChangeEmail: {
      subject: 'Confirm your new address',
      text: ['Your account on {platform} is to use the address {email} from now on. Sign in and confirm it.'],
      button: 'Confirm address',
      otherwise: 'If it was not you, ignore this mail: the account keeps its old address.',
    },
    EmailChanging: {
      subject: 'Your address is to be changed',
      text: [
        'Somebody who is signed in to your account on {platform} asked to change its e-mail address. The new address still has to be confirmed.',
        'If it was you, there is nothing to do here.',
      ],
      button: 'Cancel the change',
      otherwise:
        'If it was not you, open this link. The account keeps {email}, or gets it back, and everybody is signed out. Then set a new password.',
    },
    Test: {
      subject: 'Test mail',
      text: ['This is the test mail that you asked for. {platform} can send mails.'],
    },
  },
}
