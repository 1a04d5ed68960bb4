import Foundation
import TestSupport

extension Front {
    func nginx(_ site: SitePlan) throws -> ServerProcess.Launch {
        try nginx(site, including: "nginx/gatefold.conf", until: .port(site.port))
    }

    /// Returns the file server behind HAProxy and Varnish.
    func files(_ site: SitePlan) throws -> ServerProcess.Launch {
        let socket = site.folder.appendingPathComponent("gatefold-files.sock")
        return try nginx(site, including: "nginx/files.conf", until: .file(socket))
    }

    /// Returns the nginx through which apps receive notifications.
    func notifications(_ site: SitePlan) throws -> ServerProcess.Launch {
        try nginx(site, including: "nginx/notifications.conf", until: .port(site.port))
    }

    private func nginx(
        _ site: SitePlan, including template: String, until readiness: ServerProcess.Readiness
    ) throws -> ServerProcess.Launch {
        let binary = try Installed("/usr/sbin/nginx", package: "nginx")
        let configuration = try site.install(template)
        let folder = site.folder.path
        let main = try site.write(
            """
            daemon off;
            pid \(folder)/nginx.pid;
            error_log stderr warn;
            \(geteuid() == 0 ? "user www-data;" : "")
            events {}
            http {
                access_log \(folder)/access.log;
                sendfile on;
                include /etc/nginx/mime.types;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                include \(configuration.path);
            }

            """, to: "nginx.conf")
        return ServerProcess.Launch(
            binary.path, ["-e", "stderr", "-p", folder, "-c", main.path], in: site.folder, until: readiness)
    }
}
