/// The merchant of an app.
public struct InPlayerMerchant: Sendable, Hashable {
    /// The merchant's UUID from InPlayer's dashboard.
    public var uuid: String
    /// The app's client identifier at sign-in. Default: the merchant's UUID.
    public var clientID: String
    /// The referrer of new accounts, such as the app's bundle identifier.
    public var referrer: String?
    /// The branding of e-mail messages. Default: the merchant's default branding.
    public var brandingID: Int?

    public init(uuid: String, clientID: String? = nil, referrer: String? = nil, brandingID: Int? = nil) {
        self.uuid = uuid
        self.clientID = clientID ?? uuid
        self.referrer = referrer
        self.brandingID = brandingID
    }
}
