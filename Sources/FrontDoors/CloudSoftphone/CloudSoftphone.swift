public import Commerce
public import HTTPTypes

/// The settings of the in-app-purchase web service that a publication's Cloud Softphone app calls.
///
/// The provider chose the method, field names and body format when the app was made, so all of them are settings
/// here.
///
/// Source: Cloud Softphone protocol, “Settings of the app”.
public struct CloudSoftphone: Sendable, Equatable {
    /// The names of the request's fields, with `nil` for a field that the app does not send.
    public struct Fields: Sendable, Equatable {
        public var receipt = "receipt"
        public var product = "productCode"
        public var account = "username"
        public var price: String? = "price"
        public var currency: String? = "currency"
        /// The name of the field with the app's bundle identifier or package name (`%appid%`).
        public var app: String?
        /// The name of the field with Google's signature of the purchase data.
        public var signature: String?
        /// The name of the field with Google's purchase token.
        public var token: String?
        /// The name of the field with Amazon's user.
        public var user: String?

        public init() {}
    }

    /// The format of a failure's message.
    public enum Format: String, Sendable, CaseIterable {
        case xml
        case json
        case form
        /// The format that the request's `Accept` header prefers, or XML if it has no preference.
        case accept
    }

    /// The methods that a provider can choose.
    public static let possibleMethods: [HTTPRequest.Method] = [.get, .post, .put, .head, .delete]

    /// The path without a trailing slash.
    public var path: String
    public var methods: [HTTPRequest.Method]
    public var store: StoreKind
    public var fields: Fields
    public var form: Format

    public init(
        path: String, methods: [HTTPRequest.Method] = [.get, .post], store: StoreKind, fields: Fields = Fields(),
        form: Format = .xml
    ) {
        self.path = path
        self.methods = methods
        self.store = store
        self.fields = fields
        self.form = form
    }
}
