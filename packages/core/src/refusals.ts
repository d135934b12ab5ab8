/** All rules that can be broken, one class each. Import them from `rules.ts`. */

/** An expected refusal: a code, and optional data for the text or the screen. */
export class RuleError<Code extends string = string, Data = unknown> extends Error {
  readonly code: Code
  readonly data: Data
  constructor(code: Code, data: Data) {
    super(code)
    this.name = 'RuleError'
    this.code = code
    this.data = data
  }
}

/** Base class of one rule: `rule('game.ended')()`, with data `rule('game.not_started')<{ startsAt: string }>()`. Two calls, because TypeScript infers all type arguments or none. */
export const rule =
  <const Code extends string>(code: Code) =>
  <Data = undefined>() =>
    class extends RuleError<Code, Data> {
      static readonly code = code
      constructor(...data: Data extends undefined ? [] : [data: Data]) {
        super(code, data[0] as Data)
      }
    }

/** ISO 8601 in UTC, with the offset `+00:00`. */
type Instant = string

// Site
export class SiteNotSetUp extends rule('site.not_set_up')() {}
export class SetupDone extends rule('setup.already_done')() {}
export class SetupTokenWrong extends rule('setup.token_wrong')() {}
export class ThemeColourInvalid extends rule('site.colour_invalid')() {}
export class LogoUpdateFailed extends rule('site.logo_failed')() {}
export class ContainerTimesOutOfRange extends rule('site.container_time_out_of_range')<{
  name: 'defaultLifetime' | 'extensionDuration' | 'renewalWindow'
  min: number
  max: number
}>() {}
/** `variable`: of the environment. */
export class SetByEnvironment extends rule('site.set_by_environment')<{ variable: string }>() {}
export class CaptchaFailed extends rule('captcha.failed')() {}
export class CaptchaNotConfigured extends rule('captcha.not_configured')() {}
export class CaptchaKeysMissing extends rule('captcha.keys_missing')() {}
export class CaptchaSecretRefused extends rule('captcha.secret_refused')() {}
/** `reason`: why the provider did not answer. */
export class CaptchaNotTested extends rule('captcha.not_tested')<{ reason: string }>() {}
export class MailNotConfigured extends rule('mail.not_configured')() {}
export class MailSenderMissing extends rule('mail.sender_missing')() {}
export class MailPasswordMissing extends rule('mail.password_missing')() {}
/** `reason`: the response of the mail server. */
export class MailNotSent extends rule('mail.not_sent')<{ reason: string }>() {}

// Accounts
export class RegistrationClosed extends rule('account.registration_closed')() {}
export class EmailDomainRefused extends rule('account.domain_refused')<{ domains: string }>() {}
export class EmailInvalid extends rule('account.email_invalid')() {}
export class EmailTaken extends rule('account.email_taken')() {}
export class EmailUnchangeable extends rule('account.email_unchangeable')() {}
export class PhoneInvalid extends rule('account.phone_invalid')() {}
export class UserNameInvalid extends rule('account.name_invalid')<{ min: number; max: number }>() {}
/** The name contains `@` or a control, format or bidirectional character. */
export class UserNameCharacters extends rule('account.name_characters')() {}
export class UserNameTaken extends rule('account.name_taken')() {}
export class AccountExists extends rule('account.exists')() {}
export class PasswordTooShort extends rule('account.password_too_short')<{ min: number }>() {}
export class OldPasswordWrong extends rule('account.old_password_wrong')() {}
/** Also for an unknown user, and for an inactive one with a wrong password. */
export class CredentialsWrong extends rule('account.credentials_wrong')() {}
export class AccountBanned extends rule('account.banned')() {}
export class AccountNotActive extends rule('account.not_active')() {}
/** Activation: address unknown or already confirmed, or link unreadable. */
export class ActivationLinkInvalid extends rule('account.link_invalid')() {}
export class AccountVerificationFailed extends rule('account.verification_failed')() {}
export class EmailVerificationFailed extends rule('account.email_verification_failed')() {}
export class ResetLinkInvalid extends rule('account.reset_invalid')() {}
/** Mail confirmation is off: an administrator must reset the password. */
export class RecoveryOff extends rule('account.recovery_off')() {}

// Administration of users
export class UserNotFound extends rule('user.not_found')() {}
export class OwnAccount extends rule('user.own_account')() {}
export class UserIsCaptain extends rule('user.is_captain')() {}
export class LastAdmin extends rule('user.last_admin')() {}
/** A batch of accounts updates existing ones, but never an administrator's. */
export class UserIsAdmin extends rule('user.is_admin')() {}
/** `row` counts from 1. */
export class BatchRowRefused extends rule('user.batch_row_refused')<{ row: number; name: string; reason: string }>() {}
export class SearchHintMissing extends rule('search.hint_missing')() {}

// Teams
export class TeamNotFound extends rule('team.not_found')() {}
/** TeamNotFound where existing clients expect 400 (docs/wire.md, refusals). */
export class TeamUnknown extends rule('team.unknown')() {}
export class NotCaptain extends rule('team.not_captain')() {}
export class TeamLocked extends rule('team.locked')() {}
export class TeamNameInvalid extends rule('team.name_invalid')<{ max: number }>() {}
export class TeamNameCharacters extends rule('team.name_characters')() {}
export class TeamAlreadyOwned extends rule('team.already_owned')() {}
export class NewCaptainOwnsTeam extends rule('team.new_captain_owns_team')() {}
export class NewCaptainUnknown extends rule('team.new_captain_unknown')() {}
export class NewCaptainNotMember extends rule('team.new_captain_not_member')() {}
export class AlreadyCaptain extends rule('team.already_captain')() {}
export class CaptainCannotLeave extends rule('team.captain_cannot_leave')() {}
export class CaptainCannotKickSelf extends rule('team.captain_cannot_kick_self')() {}
export class NotTeamMember extends rule('team.not_member')() {}
/** The user to be kicked is not in the team. */
export class MemberUnknown extends rule('team.member_unknown')() {}
export class AlreadyTeamMember extends rule('team.already_member')() {}
export class TeamInviteInvalid extends rule('team.invite_invalid')() {}
export class TeamInviteUnknown extends rule('team.invite_team_unknown')<{ name: string }>() {}
export class TeamInviteWrong extends rule('team.invite_wrong')() {}
export class TeamHasSubmissions extends rule('team.has_submissions')() {}
export class TeamRenamedTooSoon extends rule('team.renamed_too_soon')<{ retryAfter: number }>() {}
export class TeamTokenMalformed extends rule('team.token_malformed')() {}
export class TeamTokenWrong extends rule('team.token_wrong')() {}

// Games
export class GameNotFound extends rule('game.not_found')() {}
/** GameNotFound where existing clients expect 400 in the body of the 404 (sheets, list of participations). */
export class GameUnknown extends rule('game.unknown')() {}
export class GameNotStarted extends rule('game.not_started')<{ startsAt: Instant }>() {}
export class GameEnded extends rule('game.ended')() {}
export class GameTitleMissing extends rule('game.title_missing')() {}
export class GameTimesMissing extends rule('game.times_missing')() {}
export class GameTimesInvalid extends rule('game.times_invalid')() {}
export class DivisionReserved extends rule('game.division_reserved')<{ name: string }>() {}
export class BoardNotDrawn extends rule('board.not_drawn')() {}

// Taking part
export class InviteCodeWrong extends rule('game.invite_code_wrong')() {}
export class DivisionUnknown extends rule('game.division_unknown')() {}
export class DivisionFixed extends rule('participation.division_fixed')<{ division: string | null }>() {}
export class AlreadyTakingPart extends rule('participation.already_joined')() {}
/** Banned from this game: neither play nor further members. */
export class ParticipationSuspended extends rule('participation.suspended')() {}
export class MemberLimitReached extends rule('participation.member_limit')<{ limit: number }>() {}
export class NotTakingPart extends rule('participation.none')() {}
export class CannotLeaveGame extends rule('participation.cannot_leave')() {}
export class ParticipationNotAccepted extends rule('participation.not_accepted')() {}
export class ParticipationNotFound extends rule('participation.not_found')() {}
export class ParticipationStatusUnknown extends rule('participation.status_unknown')() {}

// Challenges
export class ChallengeNotFound extends rule('challenge.not_found')() {}
/** Every prepared file is assigned: players get the response of a missing challenge. */
export class AttachmentsExhausted extends rule('challenge.attachments_exhausted')() {}
export class ChallengeHasNoFlag extends rule('challenge.no_flag')() {}
export class ChallengeTitleMissing extends rule('challenge.title_missing')() {}
export class ChallengeHasNoContainer extends rule('challenge.no_container')() {}
export class CaptureNeedsContainer extends rule('challenge.capture_needs_container')() {}
export class ChallengeNameRepeated extends rule('challenge.name_repeated')<{ name: string }>() {}
export class ChallengePortRepeated extends rule('challenge.port_repeated')<{ port: number }>() {}
export class FileNameBlank extends rule('challenge.file_name_blank')() {}
export class ScoreOutOfRange extends rule('challenge.score_out_of_range')<{ max: number }>() {}
export class ScoreRateOutOfRange extends rule('challenge.score_rate_out_of_range')() {}
export class DifficultyOutOfRange extends rule('challenge.difficulty_out_of_range')() {}
export class ChallengeImageMissing extends rule('challenge.image_missing')() {}
export class ChallengeHasNoCheck extends rule('challenge.no_check')() {}
export class CheckTooOften extends rule('challenge.check_too_often')<{ min: number }>() {}

// Flags and attachments
export class FlagEmpty extends rule('flag.empty')() {}
export class FlagTooLong extends rule('flag.too_long')<{ max: number }>() {}
export class TemplateTooLong extends rule('flag.template_too_long')<{ max: number }>() {}
export class TemplateTooSimple extends rule('flag.template_too_simple')<{ bits: number; min: number }>() {}
export class TemplateExpandsTooFar extends rule('flag.template_expands_too_far')<{ length: number; max: number }>() {}
export class AttachmentOnFlags extends rule('attachment.belongs_to_flags')() {}
export class AttachmentFileUnknown extends rule('attachment.file_unknown')() {}
export class AttachmentLinkInvalid extends rule('attachment.link_invalid')() {}
export class SubmissionNotFound extends rule('submission.not_found')() {}
/** The queue is full, or the flags changed twice during judging: the player repeats. `retryAfter` in seconds. */
export class SubmitBusy extends rule('submission.busy')<{ retryAfter: number }>() {}

// Files
export class FileEmpty extends rule('file.empty')() {}
export class FileMissing extends rule('file.missing')() {}
export class FileTooLarge extends rule('file.too_large')<{ max: number }>() {}
export class AssetTooLarge extends rule('file.asset_too_large')<{ max: number }>() {}
export class ImageInvalid extends rule('file.image_invalid')() {}
export class FileNotFound extends rule('file.not_found')() {}
export class FileHashInvalid extends rule('file.hash_invalid')() {}
export class FileNotStored extends rule('file.not_stored')() {}
export class FileNotDeleted extends rule('file.not_deleted')() {}
/** The disk is nearly full: uploads and captures stop before the database does. */
export class DiskFull extends rule('file.disk_full')() {}
export class CaptureNotFound extends rule('capture.not_found')() {}
/** CaptureNotFound where existing clients expect 400 in the body of the 404 (a single capture file). */
export class CaptureFileNotFound extends rule('capture.file_not_found')() {}

// Writeups
export class WriteupNotPdf extends rule('writeup.not_pdf')() {}
export class WriteupNotWanted extends rule('writeup.not_wanted')() {}
export class WriteupDeadlinePassed extends rule('writeup.deadline_passed')<{ deadline: Instant }>() {}

// Notices and posts
export class NoticeNotFound extends rule('notice.not_found')() {}
export class NoticeAutomatic extends rule('notice.automatic')() {}
export class NoticeEmpty extends rule('notice.empty')() {}
export class PostNotFound extends rule('post.not_found')() {}
export class PostTitleMissing extends rule('post.title_missing')() {}

// Instances
export class ContainersUnavailable extends rule('container.unavailable')() {}
export class ContainerEngineUnreachable extends rule('container.engine_unreachable')() {}
export class ContainerImagePending extends rule('container.image_pending')() {}
export class ContainerEngineBusy extends rule('container.engine_busy')() {}
export class ContainerTooSoon extends rule('container.too_soon')<{ retryAfter: number }>() {}
export class ContainerRunning extends rule('container.already_running')() {}
export class ContainerLimitReached extends rule('container.limit_reached')<{ limit: number }>() {}
export class ContainerNotCreated extends rule('container.not_created')() {}
export class ContainerNotRunning extends rule('container.none')() {}
export class ContainerTooEarlyToExtend extends rule('container.too_early_to_extend')<{ renewalWindow: number }>() {}
export class ContainerNotDestroyed extends rule('container.not_destroyed')() {}
export class TestContainerFailed extends rule('container.test_failed')<{ reason: string }>() {}
export class InstanceNotFound extends rule('instance.not_found')() {}
export class ProxyOff extends rule('proxy.off')() {}
export class ProxyTargetNotFound extends rule('proxy.not_found')() {}
export class ProxyTooManyConnections extends rule('proxy.too_many_connections')<{ max: number }>() {}
export class ProxyAddressUnknown extends rule('proxy.address_unknown')() {}
/** The node drains: another one accepts the connection. */
export class ProxyNodeStopping extends rule('proxy.node_stopping')() {}
export class ProxyUnreachable extends rule('proxy.unreachable')<{ reason: string }>() {}
