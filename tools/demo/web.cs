// SPDX-License-Identifier: BSD-2-Clause
// web PORT: a web server with a fault. /sum works; /report renders under one
// lock, so requests wait for each other; /quit ends it.
using System;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Demo.Web
{
	static class Reports
	{
		static readonly object one = new object();

		public static long Sum(int n)
		{
			long sum = 0;
			for (int i = 0; i < n; i++)
				sum += i * 31 % 7;
			return sum;
		}

		static string Render(int rows)
		{
			var text = new StringBuilder();
			for (int i = 0; i < rows; i++)
				text.Append(i).Append(' ').Append(Sum(200)).Append('\n');
			return text.ToString();
		}

		public static string Make(int rows)
		{
			lock (one)
				return Render(rows);
		}
	}

	static class Program
	{
		static void Main(string[] args)
		{
			var builder = WebApplication.CreateBuilder();
			builder.Logging.ClearProviders();
			builder.WebHost.UseUrls("http://127.0.0.1:" + args[0]);
			var app = builder.Build();
			app.MapGet("/sum", () => Reports.Sum(20000).ToString());
			app.MapGet("/report", () => Reports.Make(3000));
			app.MapGet("/quit", () => { app.Lifetime.StopApplication(); });
			app.Run();
		}
	}
}
