import Commerce

extension StoreKind {
    /// Determines the kind of store from the format of a receipt. Only Amazon names a user. Only Google signs a
    /// JSON text or sells by a token without a user.
    init(kindOf receipt: StoreReceipt) {
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
