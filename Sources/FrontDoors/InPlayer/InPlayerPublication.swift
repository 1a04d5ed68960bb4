public import Foundation
public import Gatefold

/// A publication as apps see it that are built on InPlayer's SDKs.
public struct InPlayerPublication: Sendable {
    public let settings: InPlayerSettings
    /// For tokens that can be renewed.
    public let proxy: PublicationProxy
    /// For the sessions inside access tokens.
    let access: PublicationProxy
    let accounts: AccountDesk
    let signedIn: AccountDesk
    let tokens: AccessTokens
    let tools: InPlayerTools
    let downloads: DownloadSite?
    let shelves = ShelfMemory()

    /// - Parameters:
    ///   - book: where accounts and numbers are kept.
    ///   - secrets: of the publication's tokens; everything else is derived from them.
    ///   - issuer: what access tokens name as their issuer.
    ///   - passwords: which ones readers may choose.
    ///   - ticketLifetime: of leave to set a new password, in seconds.
    ///   - downloads: where editions are to be had; nil where Gatefold does not guard them.
    ///   - siblings: the revocations of other publications whose readers are the same.
    ///   - errands: limits what signed-in readers have checked.
    ///   - ledger: where a reader's purchases are erased; nil for that of the publication, if it sells at all.
    public init(
        _ settings: InPlayerSettings, proxy: PublicationProxy, book: any AccountBook, secrets: SecretRing,
        issuer: String = "gatefold", passwords: PasswordRule = PasswordRule(), ticketLifetime: TimeInterval = 3600,
        downloads: DownloadSite? = nil, tools: InPlayerTools = InPlayerTools(), siblings: [RevocationList] = [],
        errands: any GuessLimiting = UnlimitedGuesses(), ledger: (any PurchaseLedger)? = nil
    ) {
        self.settings = settings
        self.proxy = proxy
        self.downloads = downloads
        self.tools = tools
        let id = proxy.publication.id
        tokens = AccessTokens(
            publication: id, secrets: secrets, issuer: issuer, lifetime: settings.accessTokenLifetime,
            random: tools.random)
        access = proxy.with(tokens: tokens.codec)
        accounts = AccountDesk(
            proxy: proxy, book: book, secrets: secrets, passwords: passwords, ticketLifetime: ticketLifetime,
            siblings: siblings, errands: errands, ledger: ledger)
        signedIn = AccountDesk(
            proxy: access, book: book, secrets: secrets, passwords: passwords, ticketLifetime: ticketLifetime,
            siblings: siblings, errands: errands, ledger: ledger)
    }

    var id: PublicationID { proxy.publication.id }
    var now: Date { proxy.now }
    /// For durations, see `WallClock`.
    var elapsed: TimeInterval { proxy.elapsed }
}

/// What all publications share, and outlives their settings.
public struct InPlayerTools: Sendable {
    /// Nil where no mail can be sent: calls that would send one are then refused.
    public var mail: InPlayerMail?
    /// Nil where apps are told nothing.
    public var noticeboard: (any Noticeboard)?
    /// Nil where no app can listen.
    public var noticeKeys: (any NoticeKeyIssuing)?
    /// Nil where nothing can be mailed.
    public var codes: PINCodes?
    public var pace: MailPace
    /// The pace of e-mail that anyone can request. It is separate, so that many requests do not delay other e-mail to readers.
    public var forgotten: MailPace
    public var random: RandomSource

    public init(
        mail: InPlayerMail? = nil, noticeboard: (any Noticeboard)? = nil, noticeKeys: (any NoticeKeyIssuing)? = nil,
        random: RandomSource = .system
    ) {
        self.mail = mail
        self.noticeboard = noticeboard
        self.noticeKeys = noticeKeys
        self.random = random
        pace = MailPace()
        forgotten = MailPace()
    }
}
