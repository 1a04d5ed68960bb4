/// A reference to a purchase that an app received from Amazon. Its case selects the version of the Receipt
/// Verification Service.
enum AmazonReference: Sendable, Equatable {
    /// A receipt of in-app purchasing 2 or later, verified by version 1.0.
    case receiptID(String)
    /// A purchase token of in-app purchasing 1, verified by version 2.0.
    case purchaseToken(String)

    /// The version segment of the path. ``verification`` and ``label`` are further segments, and the user comes
    /// between them.
    ///
    /// Source: Store receipts in the Pugpig style, “Amazon verification URLs”.
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

    /// Returns a reference of the same kind with another text.
    func replaced(by text: String) -> AmazonReference {
        switch self {
        case .receiptID: .receiptID(text)
        case .purchaseToken: .purchaseToken(text)
        }
    }
}
