import Gatefold

extension StoreKind {
    /// The kind of store whose receipts look like this: only Amazon names a user, only Google signs a text of JSON or sells
    /// by a token without a user.
    init(formOf receipt: StoreReceipt) {
        if receipt[.user] != nil {
            self = .amazon
        } else if receipt[.signature] != nil || receipt[.token] != nil
            || receipt[.receipt]?.drop(while: \.isWhitespace).hasPrefix("{") == true
            || receipt[.receipt]?.lowercased().hasPrefix("%7b") == true
        {
            self = .google
        } else {
            self = .apple
        }
    }
}
