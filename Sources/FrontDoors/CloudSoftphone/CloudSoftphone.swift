public import Gatefold
public import HTTPTypes

/// How a publication's Cloud Softphone app calls the in-app-purchase web service (PROTOCOLS 4): the provider chose method,
/// field names and body format when the app was made, so all of them are settings here.
public struct CloudSoftphone: Sendable, Equatable {
    /// The names of the request's fields; nil for one that the app does not send.
    public struct Fields: Sendable, Equatable {
        public var receipt = "receipt"
        public var product = "productCode"
        public var account = "username"
        public var price: String? = "price"
        public var currency: String? = "currency"
        /// The app's bundle identifier or package name (`%appid%`).
        public var app: String?
        /// Google's signature of the purchase data.
        public var signature: String?
        /// Google's purchase token.
        public var token: String?
        /// Amazon's user.
        public var user: String?

        public init() {}
    }

    /// How a failure's message is written.
    public enum Form: String, Sendable, CaseIterable {
        case xml
        case json
        case form
        /// As the request's `Accept` asks, XML where it does not say.
        case accept
    }

    /// The methods that a provider can choose.
    public static let possibleMethods: [HTTPRequest.Method] = [.get, .post, .put, .head, .delete]

    /// Without a slash at its end.
    public var path: String
    public var methods: [HTTPRequest.Method]
    public var store: StoreKind
    public var fields: Fields
    public var form: Form

    public init(
        path: String, methods: [HTTPRequest.Method] = [.get, .post], store: StoreKind, fields: Fields = Fields(),
        form: Form = .xml
    ) {
        self.path = path
        self.methods = methods
        self.store = store
        self.fields = fields
        self.form = form
    }
}
