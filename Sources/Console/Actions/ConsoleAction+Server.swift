import JSON

/// The changes that concern no single reader.
extension ConsoleAction {
    static let retryDelivery = ConsoleAction(
        operation: "retryDelivery", path: "/publications/{publication}/deliveries/{delivery}/retry",
        title: "Retry a delivery", effect: "The next attempt of the delivery is made now.", button: "Retry now",
        done: "The delivery is due now.", target: ActionTarget.delivery, origin: { $0.publicationPath + "/deliveries" })

    static let flushBackend = ConsoleAction(
        operation: "flushBackend", path: "/backends/{backend}/flush", title: "Remove the cached results of a backend",
        effect: """
            All cached results of the backend, and of those that it queries, are removed. Each reader's next request queries the \
            subscriber system, which can cause much load.
            """, button: "Remove all cached results", done: "The cached results are removed.",
        body: [.init(name: "all", value: true)], target: ActionTarget.backend, origin: { _ in "/backends" })
}
