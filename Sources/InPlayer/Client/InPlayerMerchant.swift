/// Whose customers an app serves.
public struct InPlayerMerchant: Sendable, Hashable {
    /// The merchant's UUID, from InPlayer's dashboard.
    public var uuid: String
    /// What the app calls itself when somebody signs in; the merchant's UUID unless InPlayer gave it another.
    public var clientID: String
    /// Where accounts say they came from, such as the app's bundle identifier.
    public var referrer: String?
    /// Which of the merchant's brandings mails have; the default one without it.
    public var brandingID: Int?

    public init(uuid: String, clientID: String? = nil, referrer: String? = nil, brandingID: Int? = nil) {
        self.uuid = uuid
        self.clientID = clientID ?? uuid
        self.referrer = referrer
        self.brandingID = brandingID
    }
}
