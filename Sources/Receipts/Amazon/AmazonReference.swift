/// What an app has from Amazon for a purchase: by which version of the Receipt Verification Service it is asked about.
enum AmazonReference: Sendable, Equatable {
    /// In-app purchasing 2 and later: verified by version 1.0.
    case receiptID(String)
    /// In-app purchasing 1: verified by version 2.0.
    case purchaseToken(String)

    /// The segments of the path of either operation, the user between them left out (PROTOCOLS 1.6).
    var version: String {
        switch self {
        case .receiptID: "1.0"
        case .purchaseToken: "2.0"
        }
    }

    var verification: String {
        switch self {
        case .receiptID: "verifyReceiptId"
        case .purchaseToken: "verify"
        }
    }

    var label: String {
        switch self {
        case .receiptID: "receiptId"
        case .purchaseToken: "purchaseToken"
        }
    }

    var text: String {
        switch self {
        case .receiptID(let text), .purchaseToken(let text): text
        }
    }

    /// The same kind of reference with another text.
    func replaced(by text: String) -> AmazonReference {
        switch self {
        case .receiptID: .receiptID(text)
        case .purchaseToken: .purchaseToken(text)
        }
    }
}
