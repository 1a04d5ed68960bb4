import AdminAPI

/// All operations of the admin API. A new one is a value in one of these lists.
enum AdminOperations {
    typealias Operation = AdminOperation<AdminServices>

    static let all: [Operation] =
        own + publications + readers + readerSearch + explanation + timeline + throttle + refresh + tokens + deliveries
        + campaigns + audit + nodes + backends
}
