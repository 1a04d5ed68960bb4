import XML

/// A summary of a response without the values that are new in each response.
struct Summary: Equatable {
    let root: String?
    let verification: Verification
    let error: String?
    let hasToken: Bool
    let hasCredentials: Bool

    init(_ exchange: Exchange) {
        root = exchange.root?.name
        verification = Verification(exchange)
        error = exchange.root?.error?.attributes["status"]
        hasToken = exchange.root?.token != nil
        hasCredentials = exchange.root?.credentials != nil
    }
}
