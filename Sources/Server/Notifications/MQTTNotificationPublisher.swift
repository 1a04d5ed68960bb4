import Gatefold
package import MQTT
package import Primitives
import ServiceLifecycle

/// A service that sends apps notifications about their accounts through the broker, until the server stops.
package struct MQTTNotificationPublisher: NotificationPublisher, Service {
    /// The keep-alive interval, in seconds.
    private static let keepAlive: UInt16 = 30

    /// The settings of the start, which stay in force until the process ends, even if the configuration changes.
    package let settings: NotificationBrokerSettings
    private let publisher: MQTTPublisher

    package init(
        _ settings: NotificationBrokerSettings, random: RandomSource,
        observe: @escaping @Sendable (MQTTPublisher.Event) -> Void
    ) {
        self.settings = settings
        // The broker disconnects the older of two clients with the same name, so every process needs its own name.
        // The name must be unpredictable, because an app that knows it could take over the connection.
        let name = "\(settings.clientID ?? "gatefold")-\(Hexadecimal.encode(random.bytes(6)))"
        publisher = MQTTPublisher(
            settings.broker,
            as: MQTTConnect(
                clientID: name, keepAlive: Self.keepAlive, userName: settings.user, password: settings.password),
            capacity: settings.queue, observe: observe)
    }

    package func publish(_ payload: [UInt8], to topic: String) { publisher.publish(payload, to: topic) }

    package func run() async throws {
        await withGracefulShutdownHandler {
            await publisher.run()
        } onGracefulShutdown: {
            publisher.close()
        }
    }
}
